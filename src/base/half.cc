#include "base/half.h"

#include <cstring>

namespace octavo {
namespace {

uint16_t load16(const std::byte* p) noexcept {
  uint16_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

}  // namespace

float float16_value(uint16_t bits) noexcept {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1f;
  const uint32_t fraction = bits & 0x3ff;
  if (exponent == 0) {  // zero and subnormals: fraction x 2^-24
    const float size = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(size) | sign);
  }
  const uint32_t wide = exponent == 31 ? 255 : exponent + (127 - 15);
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

void decode_float16(std::span<const std::byte> in,
                    std::span<float> out) noexcept {
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = float16_value(load16(in.data() + 2 * i));
}

void decode_bfloat16(std::span<const std::byte> in,
                     std::span<float> out) noexcept {
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = bfloat16_value(load16(in.data() + 2 * i));
}

}  // namespace octavo
