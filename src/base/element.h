// One element of a tensor as a number, whatever its type; and tensors of types
// that have no counterpart in C++ or numpy, widened without loss.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "octavo/tensor.h"

namespace octavo {

// The bytes of element `index` as a T, at any alignment.
template <typename T>
T load_element(Bytes bytes, int64_t index) noexcept {
  T value;
  std::memcpy(&value, bytes.data() + static_cast<size_t>(index) * sizeof(T),
              sizeof(T));
  return value;
}

// The code of an element of 2 or 4 bits, low bits first.
int packed_element(Bytes bytes, int64_t index, int bits) noexcept;

// Element `index` (row-major) as a double: the real part of a complex, 0 or 1
// of a bool, NaN of a string or unknown type. 64-bit integers beyond 2^53 are
// rounded. Formats: IEEE 754; bfloat16; float8 as in ONNX's "Float stored in 8
// bits"; float8e8m0 is 2^(bits - 127), 255 is NaN; float4e2m1 is 0, 0.5, 1,
// 1.5, 2, 3, 4, 6 and their negatives; 4-bit and 2-bit elements lie low bits
// first. The caller keeps `index` in range.
double element_value(DType type, Bytes bytes, int64_t index) noexcept;

// Stores `value` as element `index`, rounded half to even for float types and
// truncated for integers, which the value must fit (cast saturates nothing);
// the imaginary part of a complex is left alone. False, with nothing stored,
// for types narrower than 8 bits, 8-bit floats and strings.
bool set_element_value(DType type, std::span<std::byte> bytes, int64_t index,
                       double value) noexcept;

// The narrowest type that numpy has and that holds every value of `type`:
// float32 for bfloat16 and 8- and 4-bit floats, int8 or uint8 for 4- and 2-bit
// integers, else `type` itself.
DType widened_type(DType type) noexcept;

// `tensor` with its elements as widened_type(tensor.type); values are equal.
Tensor widen(const Tensor& tensor);

}  // namespace octavo
