// Runs of float16 by Highway, on integers: the same bits on every instruction
// set, and no slow path for subnormal values.
#include "base/half.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/half.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace octavo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Decodes whole vectors; gives the number of values in them.
#if HWY_TARGET == HWY_SCALAR

size_t DecodeFloat16(const std::byte*, float*, size_t) { return 0; }

#else

size_t DecodeFloat16(const std::byte* in, float* out, size_t n) {
  const hn::ScalableTag<float> df;
  const hn::RebindToUnsigned<decltype(df)> du;
  const hn::RebindToSigned<decltype(df)> di;
  const hn::Rebind<uint16_t, decltype(df)> d16;
  const hn::Repartition<uint8_t, decltype(d16)> d8;
  const auto rebias = hn::Set(du, (127u - 15u) << 23);
  const size_t lanes = hn::Lanes(df);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    // Loaded as bytes, for they may lie at an odd address.
    const auto* at = reinterpret_cast<const uint8_t*>(in + 2 * i);
    const auto half = hn::PromoteTo(du, hn::BitCast(d16, hn::LoadU(d8, at)));
    const auto size = hn::And(half, hn::Set(du, 0x7fffu));
    const auto sign = hn::ShiftLeft<16>(hn::Xor(half, size));
    const auto normal = hn::Add(hn::ShiftLeft<13>(size), rebias);
    const auto infinite = hn::Add(normal, rebias);  // and NaN
    const auto subnormal = hn::BitCast(             // fraction x 2^-24
        du, hn::Mul(hn::ConvertTo(df, hn::BitCast(di, size)),
                    hn::Set(df, 0x1p-24f)));
    auto bits =
        hn::IfThenElse(hn::Lt(size, hn::Set(du, 0x0400u)), subnormal, normal);
    bits = hn::IfThenElse(hn::Gt(size, hn::Set(du, 0x7bffu)), infinite, bits);
    hn::StoreU(hn::BitCast(df, hn::Or(bits, sign)), df, out + i);
  }
  return i;
}

#endif

}  // namespace octavo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octavo {
namespace {

uint16_t load16(const std::byte* p) noexcept {
  uint16_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

}  // namespace

HWY_EXPORT(DecodeFloat16);

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
  size_t i =
      HWY_DYNAMIC_DISPATCH(DecodeFloat16)(in.data(), out.data(), out.size());
  for (; i < out.size(); ++i) out[i] = float16_value(load16(in.data() + 2 * i));
}

void decode_bfloat16(std::span<const std::byte> in,
                     std::span<float> out) noexcept {
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = bfloat16_value(load16(in.data() + 2 * i));
}

}  // namespace octavo
#endif  // HWY_ONCE
