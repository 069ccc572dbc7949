#include "octavo/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "octavo/error.h"

namespace octavo {

int64_t element_count(std::span<const int64_t> shape) {
  // A zero anywhere makes the tensor empty, whatever the other dimensions;
  // negative dimensions are refused even then.
  bool empty = false;
  for (int64_t d : shape) {
    if (d < 0)
      throw Error(ErrorKind::format,
                  fmt::format("the shape {} has a negative dimension, where "
                              "a number of elements was expected",
                              shape_text(shape)));
    empty |= d == 0;
  }
  if (empty) return 0;
  int64_t n = 1;
  for (int64_t d : shape)
    if (__builtin_mul_overflow(n, d, &n))
      throw Error(ErrorKind::limit,
                  fmt::format("the shape {} has more elements than 64 bits "
                              "can count",
                              shape_text(shape)));
  return n;
}

int64_t byte_size(DType type, std::span<const int64_t> shape) {
  const int64_t n = element_count(shape);
  int64_t bits = 0;
  if (__builtin_mul_overflow(n, int64_t{dtype_bits(type)}, &bits) ||
      bits > std::numeric_limits<int64_t>::max() - 7)
    throw Error(ErrorKind::limit,
                fmt::format("a {} tensor of shape {} has more bytes than 64 "
                            "bits can count",
                            dtype_name(type), shape_text(shape)));
  return (bits + 7) / 8;
}

std::string shape_text(std::span<const int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ","));
}

Tensor make_tensor(DType type, Shape shape) {
  Tensor t;
  t.type = type;
  if (type == DType::string)
    t.strings.resize(static_cast<size_t>(element_count(shape)));
  else
    t.bytes.resize(static_cast<size_t>(byte_size(type, shape)));
  t.shape = std::move(shape);
  return t;
}

}  // namespace octavo
