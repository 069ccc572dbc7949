// Element types of ONNX tensors, with ONNX's own numbers
// (TensorProto.DataType in onnx.proto), their names and widths.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace octavo {

enum class DType : int32_t {
  undefined = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  string = 8,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
  complex64 = 14,
  complex128 = 15,
  bfloat16 = 16,
  float8e4m3fn = 17,
  float8e4m3fnuz = 18,
  float8e5m2 = 19,
  float8e5m2fnuz = 20,
  uint4 = 21,
  int4 = 22,
  float4e2m1 = 23,
  float8e8m0 = 24,
  uint2 = 25,
  int2 = 26,
};

// "float32", "int64", "bool", ...; "type 99" numbers give "unknown".
std::string_view dtype_name(DType type) noexcept;

// The reverse of dtype_name; empty for a name that is none.
std::optional<DType> dtype_from_name(std::string_view name) noexcept;

// Bits of one element; 0 for string, undefined and unknown types.
int dtype_bits(DType type) noexcept;

// True for float16, bfloat16, float32, float64 (not for 8- and 4-bit floats).
bool is_float(DType type) noexcept;

// True for all signed and unsigned integers (not for bool).
bool is_integer(DType type) noexcept;

}  // namespace octavo
