#include "base/half.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

namespace octavo {
namespace {

// The definition in words: (-1)^s x 2^(e - bias) x (1 + f / 2^bits), without
// the 1 and with e = 1 where the exponent field is 0; the highest field is
// infinity and NaN. Computed with ldexp, not with bits.
float by_definition(uint16_t bits, int exponent_bits, int fraction_bits) {
  const int sign = bits >> 15;
  const int top = (1 << exponent_bits) - 1;
  const int field = (bits >> fraction_bits) & top;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const int bias = top / 2;
  double size;
  if (field == top)
    size = fraction ? NAN : INFINITY;
  else if (field == 0)
    size = std::ldexp(fraction, 1 - bias - fraction_bits);
  else
    size = std::ldexp((1 << fraction_bits) + fraction,
                      field - bias - fraction_bits);
  return static_cast<float>(std::copysign(size, sign ? -1.0 : 1.0));
}

void expect_same(float got, float want, int bits) {
  if (std::isnan(want)) {
    EXPECT_TRUE(std::isnan(got)) << bits;
    return;
  }
  EXPECT_EQ(got, want) << bits;
  EXPECT_EQ(std::signbit(got), std::signbit(want)) << bits;
}

TEST(Float16, EveryValueIsAsDefined) {
  for (int b = 0; b < 65536; ++b)
    expect_same(float16_value(static_cast<uint16_t>(b)),
                by_definition(static_cast<uint16_t>(b), 5, 10), b);
}

TEST(BFloat16, EveryValueIsAsDefined) {
  for (int b = 0; b < 65536; ++b)
    expect_same(bfloat16_value(static_cast<uint16_t>(b)),
                by_definition(static_cast<uint16_t>(b), 8, 7), b);
}

TEST(DecodeRuns, WorkAtAnyAlignment) {
  // 1.0, -2.0, largest finite: 0x3c00, 0xc000, 0x7bff = 65504; as bfloat16
  // 1.0 = 0x3f80, -2.0 = 0xc000.
  const uint16_t half[] = {0x3c00, 0xc000, 0x7bff};
  const uint16_t brain[] = {0x3f80, 0xc000};
  std::vector<std::byte> bytes(1 + sizeof half);
  std::vector<float> out(3);
  std::memcpy(bytes.data() + 1, half, sizeof half);
  decode_float16(std::span(bytes).subspan(1), out);
  EXPECT_EQ(out, (std::vector<float>{1, -2, 65504}));
  std::memcpy(bytes.data() + 1, brain, sizeof brain);
  out.resize(2);
  decode_bfloat16(std::span(bytes).subspan(1), out);
  EXPECT_EQ(out, (std::vector<float>{1, -2}));
  decode_float16({}, {});
}

TEST(DecodeRuns, GiveEveryFloat16ItsBitsOnEveryTarget) {
  std::vector<uint16_t> half(65536);
  std::iota(half.begin(), half.end(), uint16_t{0});
  for (int64_t targets = hwy::SupportedTargets(); targets != 0;
       targets &= targets - 1) {
    SCOPED_TRACE(hwy::TargetName(targets & -targets));
    hwy::SetSupportedTargetsForTest(targets & -targets);
    hwy::GetChosenTarget().Update(targets & -targets);
    // Lengths that end within a vector: 65536 and 65521.
    for (const size_t skipped : {0u, 15u}) {
      std::vector<float> out(half.size() - skipped + 1, 7.0f);
      decode_float16(std::as_bytes(std::span(half).subspan(skipped)),
                     std::span(out).first(out.size() - 1));
      for (size_t i = 0; i + 1 < out.size(); ++i)
        ASSERT_EQ(std::bit_cast<uint32_t>(out[i]),
                  std::bit_cast<uint32_t>(float16_value(half[i + skipped])))
            << i + skipped;
      EXPECT_EQ(out.back(), 7.0f);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace
}  // namespace octavo
