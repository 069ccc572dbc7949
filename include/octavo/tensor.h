// A tensor's type, shape and bytes. `Tensor` owns its bytes, `TensorView`
// never does. Bytes are little-endian, row-major and dense, in ONNX's
// `raw_data` layout (4-bit types: two elements a byte, low nibble first).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "octavo/dtype.h"

namespace octavo {

using Shape = std::vector<int64_t>;
using Bytes = std::span<const std::byte>;

// Number of elements. Throws Error(format) for a negative dimension and
// Error(limit) where the product does not fit int64; every product of
// dimensions in Octavo is made here.
int64_t element_count(std::span<const int64_t> shape);

// Bytes of a dense tensor, rounded up to whole bytes; 0 for strings.
int64_t byte_size(DType type, std::span<const int64_t> shape);

// "[2,3]", "[]" for a scalar.
std::string shape_text(std::span<const int64_t> shape);

// A view; whoever makes one keeps the bytes alive.
struct TensorView {
  DType type = DType::undefined;
  Shape shape;
  Bytes bytes;
};

struct Tensor {
  DType type = DType::undefined;
  Shape shape;
  std::vector<std::byte> bytes;      // empty for strings
  std::vector<std::string> strings;  // only for DType::string

  TensorView view() const { return {type, shape, bytes}; }

  // Typed access; T must have the element's width. The caller names the type.
  template <typename T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <typename T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

// A zero-filled tensor (empty strings for DType::string).
Tensor make_tensor(DType type, Shape shape);

template <typename T>
Tensor make_tensor(DType type, Shape shape, const std::vector<T>& values) {
  Tensor t = make_tensor(type, std::move(shape));
  auto out = t.as<T>();
  for (size_t i = 0; i < out.size() && i < values.size(); ++i)
    out[i] = values[i];
  return t;
}

}  // namespace octavo
