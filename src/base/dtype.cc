#include "octavo/dtype.h"

#include <array>

namespace octavo {
namespace {

struct Facts {
  DType type;
  std::string_view name;
  int bits;
};

constexpr std::array<Facts, 27> kTable = {{
    {DType::undefined, "undefined", 0},
    {DType::float32, "float32", 32},
    {DType::uint8, "uint8", 8},
    {DType::int8, "int8", 8},
    {DType::uint16, "uint16", 16},
    {DType::int16, "int16", 16},
    {DType::int32, "int32", 32},
    {DType::int64, "int64", 64},
    {DType::string, "string", 0},
    {DType::boolean, "bool", 8},
    {DType::float16, "float16", 16},
    {DType::float64, "float64", 64},
    {DType::uint32, "uint32", 32},
    {DType::uint64, "uint64", 64},
    {DType::complex64, "complex64", 64},
    {DType::complex128, "complex128", 128},
    {DType::bfloat16, "bfloat16", 16},
    {DType::float8e4m3fn, "float8e4m3fn", 8},
    {DType::float8e4m3fnuz, "float8e4m3fnuz", 8},
    {DType::float8e5m2, "float8e5m2", 8},
    {DType::float8e5m2fnuz, "float8e5m2fnuz", 8},
    {DType::uint4, "uint4", 4},
    {DType::int4, "int4", 4},
    {DType::float4e2m1, "float4e2m1", 4},
    {DType::float8e8m0, "float8e8m0", 8},
    {DType::uint2, "uint2", 2},
    {DType::int2, "int2", 2},
}};

const Facts* find(DType type) noexcept {
  const auto i = static_cast<size_t>(type);
  return i < kTable.size() ? &kTable[i] : nullptr;
}

}  // namespace

std::string_view dtype_name(DType type) noexcept {
  const Facts* f = find(type);
  return f ? f->name : "unknown";
}

std::optional<DType> dtype_from_name(std::string_view name) noexcept {
  for (const Facts& f : kTable)
    if (f.name == name) return f.type;
  return std::nullopt;
}

int dtype_bits(DType type) noexcept {
  const Facts* f = find(type);
  return f ? f->bits : 0;
}

bool is_float(DType type) noexcept {
  return type == DType::float32 || type == DType::float16 ||
         type == DType::bfloat16 || type == DType::float64;
}

bool is_integer(DType type) noexcept {
  switch (type) {
    case DType::uint8:
    case DType::int8:
    case DType::uint16:
    case DType::int16:
    case DType::int32:
    case DType::int64:
    case DType::uint32:
    case DType::uint64:
    case DType::uint4:
    case DType::int4:
    case DType::uint2:
    case DType::int2:
      return true;
    default:
      return false;
  }
}

}  // namespace octavo
