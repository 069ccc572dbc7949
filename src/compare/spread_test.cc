#include "compare/spread.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace octavo {
namespace {

TensorView view(const std::vector<float>& v, Shape shape) {
  return {DType::float32, std::move(shape), std::as_bytes(std::span(v))};
}

// Uneven numbers over several octaves.
std::vector<float> numbers(size_t n, uint32_t seed) {
  std::vector<float> v(n);
  for (float& x : v) {
    seed = seed * 1664525u + 1013904223u;
    const int octave = static_cast<int>(seed >> 28) - 8;
    x = std::ldexp(static_cast<float>(seed >> 8 & 0xffff) / 65536 - 0.5f,
                   octave);
  }
  return v;
}

TEST(Spread, QuantilesAreWithinTheStatedError) {
  const auto r = numbers(5001, 1), c = numbers(5001, 2);
  Spread s;
  update(s, view(r, {5001}), view(c, {5001}), 0, 0);
  std::vector<double> d;
  for (size_t i = 0; i < r.size(); ++i)
    d.push_back(std::abs(static_cast<double>(r[i]) - c[i]));
  std::sort(d.begin(), d.end());
  const SpreadSummary got = finish(s);
  for (const auto& [value, share] :
       {std::pair(got.p50, 0.5), std::pair(got.p90, 0.9),
        std::pair(got.p99, 0.99), std::pair(got.p999, 0.999)}) {
    const double want = d[static_cast<size_t>(std::ceil(share * 5001)) - 1];
    EXPECT_NEAR(*value, want, want / 32);
  }
  int64_t pairs = 0;
  for (const auto& bin : got.histogram) pairs += bin.pairs;
  EXPECT_EQ(pairs, 5001);
}

// r = 1, 2, 3, 4 and c = r + (0, 0.5, 0, -1): by hand.
TEST(Spread, GivesWhatCanBeComputedByHand) {
  const std::vector<float> r = {1, 2, 3, 4}, c = {1, 2.5f, 3, 3};
  Spread s;
  update(s, view(r, {2, 2}), view(c, {2, 2}), 10, 2);
  const SpreadSummary got = finish(s);
  EXPECT_EQ(*got.p50, 0);  // two of four are equal
  EXPECT_EQ(*got.max_relative, 0.25);
  EXPECT_EQ(*got.mean_relative, 0.125);
  // Means 2.5 and 2.375; sums of squares 5 and 2.6875; of products 3.25.
  EXPECT_NEAR(*got.pearson, 3.25 / std::sqrt(5 * 2.6875), 1e-15);
  ASSERT_EQ(got.worst.size(), 2u);
  EXPECT_EQ(got.worst[0].sample, 11);
  EXPECT_EQ(got.worst[0].max_abs, 1);
  EXPECT_EQ(got.worst[0].rmse, std::sqrt(0.5));
  EXPECT_EQ(*got.worst[0].relative_l2, std::sqrt(1.0 / 25));
  EXPECT_EQ(got.worst[1].sample, 10);
  ASSERT_EQ(got.histogram.size(), 3u);
  EXPECT_EQ(got.histogram[0].below, 0);
  EXPECT_EQ(got.histogram[1].below, 1);  // 0.5 is in [0.5, 1)
  EXPECT_EQ(got.histogram[2].below, 2);
}

TEST(Spread, LeavesNaNAndInfinityOut) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> r = {nan, 1, inf, 2}, c = {0, nan, 1, 2.5f};
  Spread s;
  update(s, view(r, {4}), view(c, {4}), 0, 4);
  EXPECT_EQ(s.pairs, 1);
  const SpreadSummary got = finish(s);
  EXPECT_EQ(*got.max_relative, 0.25);
  EXPECT_FALSE(got.pearson.has_value());
  EXPECT_EQ(finish(Spread()).p50, std::nullopt);
}

// Parts merged in any cut give what one run gives.
TEST(Spread, MergesToWhatOneRunGives) {
  const auto r = numbers(3000, 3), c = numbers(3000, 4);
  Spread whole, parts;
  update(whole, view(r, {3000}), view(c, {3000}), 0, 3000);
  for (size_t begin = 0; begin < 3000; begin += 700) {
    const size_t n = std::min<size_t>(700, 3000 - begin);
    const std::vector<float> a(r.begin() + begin, r.begin() + begin + n),
        b(c.begin() + begin, c.begin() + begin + n);
    Spread part;
    const auto rows = static_cast<int64_t>(n);
    update(part, view(a, {rows}), view(b, {rows}), static_cast<int64_t>(begin),
           rows);
    merge(parts, part);
  }
  const SpreadSummary x = finish(whole), y = finish(parts);
  EXPECT_EQ(x.p50, y.p50);
  EXPECT_EQ(x.p999, y.p999);
  EXPECT_EQ(x.max_relative, y.max_relative);
  EXPECT_NEAR(*x.mean_relative, *y.mean_relative, 1e-12 * *x.mean_relative);
  EXPECT_NEAR(*x.pearson, *y.pearson, 1e-13);
  ASSERT_EQ(x.worst.size(), kWorstKept);
  for (size_t i = 0; i < kWorstKept; ++i)
    EXPECT_EQ(x.worst[i].sample, y.worst[i].sample);
}

}  // namespace
}  // namespace octavo
