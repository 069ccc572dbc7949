#include "compare/element.h"

#include "base/element.h"
#include "base/half.h"

namespace octavo {
namespace {

uint64_t code_at(Bytes bytes, int64_t index, int bits) {
  return static_cast<uint64_t>(packed_element(bytes, index, bits));
}

int64_t sign_extend(uint64_t code, int bits) {
  const auto half = uint64_t{1} << (bits - 1);
  return static_cast<int64_t>(code ^ half) - static_cast<int64_t>(half);
}

}  // namespace

Measure measure_of(DType type) noexcept {
  if (is_float(type)) return Measure::numeric;
  if (is_integer(type)) return Measure::integer;
  switch (type) {
    case DType::complex64:
    case DType::complex128:
    case DType::float8e4m3fn:
    case DType::float8e4m3fnuz:
    case DType::float8e5m2:
    case DType::float8e5m2fnuz:
    case DType::float8e8m0:
    case DType::float4e2m1:
      return Measure::numeric;
    case DType::boolean:
    case DType::string:
      return Measure::exact;
    default:
      return Measure::none;
  }
}

Scalar element_at(DType type, Bytes bytes, int64_t i) {
  switch (type) {
    case DType::float32:
    case DType::complex64:
      return static_cast<double>(load_element<float>(bytes, i));
    case DType::float64:
    case DType::complex128:
      return load_element<double>(bytes, i);
    case DType::float16:
      return static_cast<double>(
          float16_value(load_element<uint16_t>(bytes, i)));
    case DType::bfloat16:
      return static_cast<double>(
          bfloat16_value(load_element<uint16_t>(bytes, i)));
    case DType::int8:
      return int64_t{load_element<int8_t>(bytes, i)};
    case DType::int16:
      return int64_t{load_element<int16_t>(bytes, i)};
    case DType::int32:
      return int64_t{load_element<int32_t>(bytes, i)};
    case DType::int64:
      return load_element<int64_t>(bytes, i);
    case DType::boolean:
      return int64_t{load_element<uint8_t>(bytes, i) != 0};
    case DType::uint16:
      return uint64_t{load_element<uint16_t>(bytes, i)};
    case DType::uint32:
      return uint64_t{load_element<uint32_t>(bytes, i)};
    case DType::uint64:
      return load_element<uint64_t>(bytes, i);
    case DType::int4:
      return sign_extend(code_at(bytes, i, 4), 4);
    case DType::int2:
      return sign_extend(code_at(bytes, i, 2), 2);
    case DType::uint4:
      return code_at(bytes, i, 4);
    case DType::float8e4m3fn:
    case DType::float8e4m3fnuz:
    case DType::float8e5m2:
    case DType::float8e5m2fnuz:
    case DType::float8e8m0:
    case DType::float4e2m1:
      return element_value(type, bytes, i);
    case DType::uint2:
      return code_at(bytes, i, 2);
    default:  // uint8
      return uint64_t{load_element<uint8_t>(bytes, i)};
  }
}

int64_t integer_at(DType type, Bytes bytes, int64_t i) {
  const Scalar v = element_at(type, bytes, i);
  return std::holds_alternative<int64_t>(v)
             ? std::get<int64_t>(v)
             : static_cast<int64_t>(std::get<uint64_t>(v));
}

Shape position_of(std::span<const int64_t> shape, int64_t index) {
  Shape position(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    position[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return position;
}

}  // namespace octavo
