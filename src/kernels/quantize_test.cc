#include "kernels/quantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "kernels/transpose.h"
#include "testing/every_target.h"

namespace octavo::kernels {
namespace {

using testing::on_every_target;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

uint32_t bits_of(float f) {
  uint32_t b;
  std::memcpy(&b, &f, sizeof b);
  return b;
}

// The formula in long double, half to even by hand: slow and obvious.
int8_t obvious(float w, float scale) {
  const float x = w / scale;  // the kernel divides in float as well
  long double whole = std::floor(static_cast<long double>(x));
  const long double part = x - whole;
  if (part > 0.5L || (part == 0.5L && std::fmod(whole, 2.0L) != 0)) whole += 1;
  return static_cast<int8_t>(std::max(-127.0L, std::min(127.0L, whole)));
}

std::vector<float> awkward(size_t n, uint32_t seed) {
  std::mt19937 rng(seed);
  std::vector<float> v(n);
  for (auto& x : v) {
    x = (static_cast<float>(rng() % 60001) - 30000) / 100;
    if (rng() % 17 == 0) x = -0.0f;
    if (rng() % 19 == 0) x = 1e-42f;
    if (rng() % 5 == 0) x = static_cast<float>(rng() % 200) - 99.5f;  // halves
  }
  return v;
}

TEST(AbsmaxBits, IsTheLargestMagnitudeAtEveryLengthAndOffset) {
  on_every_target([] {
    for (size_t n = 0; n <= 131; ++n)
      for (const size_t offset : {0u, 1u, 3u}) {
        const auto v = awkward(n + offset, static_cast<uint32_t>(n));
        uint32_t want = 0;
        for (size_t i = offset; i < v.size(); ++i)
          want = std::max(want, bits_of(std::fabs(v[i])));
        EXPECT_EQ(absmax_bits(v.data() + offset, n), want) << n;
      }
  });
}

TEST(AbsmaxBits, ShowsInfAndNaNWhereverTheyStand) {
  on_every_target([] {
    for (const float bad : {kInf, -kInf, kNaN, -kNaN})
      for (size_t at = 0; at < 67; ++at) {
        std::vector<float> v(67, 3.0f);
        v[at] = bad;
        EXPECT_GE(absmax_bits(v.data(), v.size()), kInfinityBits);
        std::vector<uint32_t> cols(67, 0);
        absmax_bits_columns(v.data(), 1, 67, cols.data());
        for (size_t c = 0; c < 67; ++c)
          EXPECT_EQ(cols[c] >= kInfinityBits, c == at);
      }
  });
}

TEST(AbsmaxBitsColumns, AgreesWithOneColumnAtATime) {
  on_every_target([] {
    for (size_t cols = 1; cols <= 70; cols += 3)
      for (const size_t rows : {0u, 1u, 2u, 9u}) {
        const auto w = awkward(rows * cols, 7);
        std::vector<uint32_t> got(cols, bits_of(5.0f));
        absmax_bits_columns(w.data(), rows, cols, got.data());
        for (size_t c = 0; c < cols; ++c) {
          uint32_t want = bits_of(5.0f);
          for (size_t r = 0; r < rows; ++r)
            want = std::max(want, bits_of(std::fabs(w[r * cols + c])));
          EXPECT_EQ(got[c], want);
        }
      }
  });
}

TEST(Quantize, RoundsHalfToEvenAndStaysWithin127) {
  on_every_target([] {
    const std::vector<float> w = {0.5f,   1.5f,   2.5f, -0.5f,  -1.5f,
                                  126.5f, 127,    -127, 127.6f, -300,
                                  -0.0f,  1e-42f, 3e38f};
    const std::vector<int> want = {0,    2,   2,    0, -2, 126, 127,
                                   -127, 127, -127, 0, 0,  127};
    std::vector<int8_t> q(w.size());
    quantize(w.data(), w.size(), 1.0f, q.data());
    for (size_t i = 0; i < w.size(); ++i) EXPECT_EQ(q[i], want[i]) << w[i];
  });
}

TEST(Quantize, AgreesWithTheObviousAtEveryLengthAndWritesNoFurther) {
  on_every_target([] {
    for (size_t n = 0; n <= 67; ++n)
      for (const float scale : {1.0f, 0.37f, 2.9e-3f}) {
        const auto w = awkward(n + 1, static_cast<uint32_t>(n) + 100);
        std::vector<int8_t> q(n + 8, 99);
        quantize(w.data() + 1, n, scale, q.data());
        for (size_t i = 0; i < n; ++i)
          EXPECT_EQ(q[i], obvious(w[i + 1], scale)) << w[i + 1];
        for (size_t i = n; i < q.size(); ++i) EXPECT_EQ(q[i], 99);

        std::vector<float> scales(n);
        for (size_t i = 0; i < n; ++i)
          scales[i] = scale * static_cast<float>(i + 1);
        std::fill(q.begin(), q.end(), 99);
        quantize_each(w.data() + 1, n, scales.data(), q.data());
        for (size_t i = 0; i < n; ++i)
          EXPECT_EQ(q[i], obvious(w[i + 1], scales[i]));
        for (size_t i = n; i < q.size(); ++i) EXPECT_EQ(q[i], 99);
      }
  });
}

// Around a quarter, a half and the whole of scales down to the smallest, and
// among subnormal numbers: where a short cut to 0 could be wrong.
TEST(Quantize, IsExactWhereSmallNumbersMeetSmallScales) {
  on_every_target([] {
    for (const float scale : {0x1p-126f, 0x1.8p-126f, 0x1p-125f, 0x1.fp-125f,
                              0x1p-124f, 0x1.3p-124f, 0x1p-100f, 1.0f, 0x1p90f})
      for (const float part : {0.0f, 0x1p-23f, 0.25f, 0.5f, 1.0f, 1.5f, 126.5f})
        for (const float sign : {1.0f, -1.0f}) {
          const float at = sign * part * scale;
          const std::vector<float> w = {at,
                                        std::nextafter(at, kInf),
                                        std::nextafter(at, -kInf),
                                        1e-45f,
                                        -1e-45f,
                                        0x1.fffffcp-127f,
                                        0x1p-127f};
          std::vector<float> many;  // whole vectors and a rest
          for (int i = 0; i < 10; ++i)
            many.insert(many.end(), w.begin(), w.end());
          std::vector<int8_t> q(many.size()), each(many.size());
          quantize(many.data(), many.size(), scale, q.data());
          const std::vector<float> scales(many.size(), scale);
          quantize_each(many.data(), many.size(), scales.data(), each.data());
          for (size_t i = 0; i < many.size(); ++i) {
            EXPECT_EQ(q[i], obvious(many[i], scale))
                << many[i] << " / " << scale;
            EXPECT_EQ(each[i], q[i]) << many[i] << " / " << scale;
          }
        }
  });
}

// 255 * 128 = 32640 fits int16, 255 * 129 = 32895 does not; products of
// opposite signs help each other.
TEST(CountSaturating, FindsPairsBeyondInt16AtEveryLength) {
  const int8_t a[] = {64, 65, 127, 1, 127, -64, -127, -127, 0, 127};
  const int8_t b[] = {64, 64, 1, 127, 2, -65, -1, -2, 127, -127};
  const bool beyond[] = {false, true,  false, false, true,
                         true,  false, true,  false, false};
  on_every_target([&] {
    for (size_t n = 0; n <= 150; ++n) {
      std::vector<int8_t> x(n + 1), y(n + 1), both(2 * n + 1);
      uint64_t want = 0;
      for (size_t i = 0; i < n; ++i) {
        const size_t k = (i * 7 + n) % std::size(a);
        x[i + 1] = both[2 * i + 1] = a[k];
        y[i + 1] = both[2 * i + 2] = b[k];
        want += beyond[k];
      }
      EXPECT_EQ(count_saturating(x.data() + 1, y.data() + 1, n), want);
      EXPECT_EQ(count_saturating_neighbours(both.data() + 1, n), want);
    }
  });
}

TEST(TransposeBytes, PutsEachByteInItsPlaceAndWritesNoFurther) {
  on_every_target([] {
    for (const size_t rows : {0u, 1u, 15u, 16u, 33u, 64u, 65u, 130u})
      for (const size_t cols : {0u, 1u, 5u, 16u, 31u, 63u, 128u}) {
        std::vector<int8_t> in(rows * (cols + 2)), out(cols * (rows + 1), 55);
        for (size_t i = 0; i < in.size(); ++i)
          in[i] = static_cast<int8_t>(i % 97);
        transpose_bytes(in.data(), rows, cols, cols + 2, out.data(), rows + 1);
        for (size_t c = 0; c < cols; ++c) {
          for (size_t r = 0; r < rows; ++r)
            ASSERT_EQ(out[c * (rows + 1) + r], in[r * (cols + 2) + c]);
          ASSERT_EQ(out[c * (rows + 1) + rows], 55);
        }
      }
  });
}

}  // namespace
}  // namespace octavo::kernels
