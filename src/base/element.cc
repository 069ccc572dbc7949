#include "base/element.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/half.h"

namespace octavo {
namespace {

template <typename T>
bool store(std::span<std::byte> bytes, int64_t index, T value) noexcept {
  std::memcpy(bytes.data() + static_cast<size_t>(index) * sizeof(T), &value,
              sizeof(T));
  return true;
}

// binary16 of a double, rounded half to even; overflow gives infinity.
uint16_t float16_bits(double value) noexcept {
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;  // half way beyond 65504
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = m * 2^exponent, m in [.5,1)
  // The unit of the last place: 2^-24 for subnormals.
  const int unit = exponent - 11 < -24 || magnitude == 0 ? -24 : exponent - 11;
  // Exact scaling, and nearbyint rounds half to even by default.
  const auto units =
      static_cast<int>(std::nearbyint(std::ldexp(magnitude, -unit)));
  // Adding the fraction to the exponent's field carries as it should.
  const int field = unit == -24 ? units : ((unit + 24) << 10) + units;
  return static_cast<uint16_t>(sign | field);
}

uint16_t bfloat16_bits(double value) noexcept {
  uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40);
  bits += 0x7fff + ((bits >> 16) & 1);
  return static_cast<uint16_t>(bits >> 16);
}

int signed_packed(Bytes bytes, int64_t index, int bits) noexcept {
  const int value = packed_element(bytes, index, bits);
  return value >= (1 << (bits - 1)) ? value - (1 << bits) : value;
}

// A small float without infinities' special cases: sign, exponent, fraction.
double small_float(int bits, int exponent_bits, int fraction_bits,
                   int bias) noexcept {
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const bool negative = ((bits >> (fraction_bits + exponent_bits)) & 1) != 0;
  const double magnitude = exponent == 0
                               ? std::ldexp(fraction, 1 - bias - fraction_bits)
                               : std::ldexp(fraction + (1 << fraction_bits),
                                            exponent - bias - fraction_bits);
  return negative ? -magnitude : magnitude;
}

double float8(DType type, int bits) noexcept {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  switch (type) {
    case DType::float8e4m3fn:
      return (bits & 0x7f) == 0x7f ? kNan : small_float(bits, 4, 3, 7);
    case DType::float8e4m3fnuz:
      return bits == 0x80 ? kNan : small_float(bits, 4, 3, 8);
    case DType::float8e5m2:
      if ((bits & 0x7f) == 0x7c) return bits == 0x7c ? kInf : -kInf;
      return (bits & 0x7f) > 0x7c ? kNan : small_float(bits, 5, 2, 15);
    default:
      return bits == 0x80 ? kNan : small_float(bits, 5, 2, 16);
  }
}

}  // namespace

int packed_element(Bytes bytes, int64_t index, int bits) noexcept {
  const int per_byte = 8 / bits;
  const auto byte = static_cast<int>(
      bytes[static_cast<size_t>(index) / static_cast<size_t>(per_byte)]);
  return (byte >> (bits * static_cast<int>(index % per_byte))) &
         ((1 << bits) - 1);
}

double element_value(DType type, Bytes bytes, int64_t i) noexcept {
  switch (type) {
    case DType::float32:
      return load_element<float>(bytes, i);
    case DType::float64:
      return load_element<double>(bytes, i);
    case DType::float16:
      return float16_value(load_element<uint16_t>(bytes, i));
    case DType::bfloat16:
      return bfloat16_value(load_element<uint16_t>(bytes, i));
    case DType::uint8:
      return load_element<uint8_t>(bytes, i);
    case DType::boolean:
      return load_element<uint8_t>(bytes, i) != 0 ? 1 : 0;
    case DType::int8:
      return load_element<int8_t>(bytes, i);
    case DType::uint16:
      return load_element<uint16_t>(bytes, i);
    case DType::int16:
      return load_element<int16_t>(bytes, i);
    case DType::uint32:
      return load_element<uint32_t>(bytes, i);
    case DType::int32:
      return load_element<int32_t>(bytes, i);
    case DType::uint64:
      return static_cast<double>(load_element<uint64_t>(bytes, i));
    case DType::int64:
      return static_cast<double>(load_element<int64_t>(bytes, i));
    case DType::complex64:
      return load_element<float>(bytes, 2 * i);
    case DType::complex128:
      return load_element<double>(bytes, 2 * i);
    case DType::float8e4m3fn:
    case DType::float8e4m3fnuz:
    case DType::float8e5m2:
    case DType::float8e5m2fnuz:
      return float8(type, load_element<uint8_t>(bytes, i));
    case DType::float8e8m0: {
      const int bits = load_element<uint8_t>(bytes, i);
      return bits == 255 ? std::numeric_limits<double>::quiet_NaN()
                         : std::ldexp(1.0, bits - 127);
    }
    case DType::float4e2m1:
      return small_float(packed_element(bytes, i, 4), 2, 1, 1);
    case DType::uint4:
      return packed_element(bytes, i, 4);
    case DType::int4:
      return signed_packed(bytes, i, 4);
    case DType::uint2:
      return packed_element(bytes, i, 2);
    case DType::int2:
      return signed_packed(bytes, i, 2);
    case DType::string:
    case DType::undefined:
      break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

bool set_element_value(DType type, std::span<std::byte> bytes, int64_t i,
                       double value) noexcept {
  switch (type) {
    case DType::float32:
      return store(bytes, i, static_cast<float>(value));
    case DType::float64:
      return store(bytes, i, value);
    case DType::float16:
      return store(bytes, i, float16_bits(value));
    case DType::bfloat16:
      return store(bytes, i, bfloat16_bits(value));
    case DType::complex64:
      return store(bytes, 2 * i, static_cast<float>(value));
    case DType::complex128:
      return store(bytes, 2 * i, value);
    case DType::boolean:
      return store(bytes, i, static_cast<uint8_t>(value != 0));
    case DType::uint8:
      return store(bytes, i, static_cast<uint8_t>(value));
    case DType::int8:
      return store(bytes, i, static_cast<int8_t>(value));
    case DType::uint16:
      return store(bytes, i, static_cast<uint16_t>(value));
    case DType::int16:
      return store(bytes, i, static_cast<int16_t>(value));
    case DType::uint32:
      return store(bytes, i, static_cast<uint32_t>(value));
    case DType::int32:
      return store(bytes, i, static_cast<int32_t>(value));
    case DType::uint64:
      return store(bytes, i, static_cast<uint64_t>(value));
    case DType::int64:
      return store(bytes, i, static_cast<int64_t>(value));
    default:
      return false;
  }
}

DType widened_type(DType type) noexcept {
  switch (type) {
    case DType::bfloat16:
    case DType::float8e4m3fn:
    case DType::float8e4m3fnuz:
    case DType::float8e5m2:
    case DType::float8e5m2fnuz:
    case DType::float8e8m0:
    case DType::float4e2m1:
      return DType::float32;
    case DType::int4:
    case DType::int2:
      return DType::int8;
    case DType::uint4:
    case DType::uint2:
      return DType::uint8;
    default:
      return type;
  }
}

Tensor widen(const Tensor& tensor) {
  const DType type = widened_type(tensor.type);
  if (type == tensor.type) return tensor;
  Tensor out = make_tensor(type, tensor.shape);
  const int64_t count = element_count(tensor.shape);
  for (int64_t i = 0; i < count; ++i) {
    const double value = element_value(tensor.type, tensor.bytes, i);
    const auto at = static_cast<size_t>(i);
    if (type == DType::float32)
      out.as<float>()[at] = static_cast<float>(value);
    else if (type == DType::int8)
      out.as<int8_t>()[at] = static_cast<int8_t>(value);
    else
      out.as<uint8_t>()[at] = static_cast<uint8_t>(value);
  }
  return out;
}

}  // namespace octavo
