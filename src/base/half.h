// The two 16-bit floats of ONNX, decoded. Every value of both is a float32,
// so nothing is rounded; NaN stays NaN, and -0 stays -0.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace octavo {

// IEEE 754 binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits.
float float16_value(uint16_t bits) noexcept;

// bfloat16: the upper half of a float32.
inline float bfloat16_value(uint16_t bits) noexcept {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

// The same for a run of little-endian values; `in` holds at least
// 2 x out.size() bytes, at any alignment.
void decode_float16(std::span<const std::byte> in,
                    std::span<float> out) noexcept;
void decode_bfloat16(std::span<const std::byte> in,
                     std::span<float> out) noexcept;

}  // namespace octavo
