#include "bench/stats.h"

#include <gtest/gtest.h>

#include <cmath>

namespace octavo {
namespace {

TEST(Median, IsTheMiddleOrTheMeanOfTwo) {
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(std::vector<double>{7}), 7);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Mad, IsTheMedianDistanceFromTheMedian) {
  // Median 2; distances 1 1 0 0 2 4 7, sorted 0 0 1 1 2 4 7.
  EXPECT_EQ(mad(std::vector<double>{1, 1, 2, 2, 4, 6, 9}), 1);
  EXPECT_EQ(mad(std::vector<double>{5, 5, 5}), 0);
}

TEST(Summarize, OfACountingSequenceIsItsShares) {
  // 0 to 100, turned over: the p-th percentile is p.
  std::vector<double> v;
  for (int i = 100; i >= 0; --i) v.push_back(i);
  const TimeSummary s = summarize(v);
  EXPECT_EQ(s.runs, 101);
  EXPECT_EQ(s.least, 0);
  EXPECT_NEAR(s.p10, 10, 1e-12);
  EXPECT_EQ(s.median, 50);
  EXPECT_NEAR(s.p90, 90, 1e-12);
  EXPECT_NEAR(s.p95, 95, 1e-12);
  EXPECT_NEAR(s.p99, 99, 1e-12);
  EXPECT_EQ(s.most, 100);
  EXPECT_EQ(s.mad, 25);
}

TEST(ExpandedShare, AgreesWithStudentsDistribution) {
  // One degree of freedom is Cauchy's: t = tan(pi (0.5 - 0.025)) = 12.7062;
  // Phi(-sqrt(2) t) is below 1e-70.
  EXPECT_LT(expanded_share(0.95, 2), 1e-60);
  // Two: t = 2 p sqrt(2 / (1 - 4 p^2)) with p = 0.475, 4.30265;
  // Phi(-sqrt(3 / 2) 4.30265) = 6.84e-8.
  const double t = 0.95 * std::sqrt(2 / (1 - 0.95 * 0.95));
  EXPECT_NEAR(expanded_share(0.95, 3) /
                  (0.5 * std::erfc(t * std::sqrt(1.5) / std::sqrt(2.0))),
              1, 1e-9);
  // Many: the normal distribution's own share.
  EXPECT_NEAR(expanded_share(0.95, 100001), 0.025, 1e-5);
  EXPECT_NEAR(expanded_share(0.99, 100001), 0.005, 1e-5);
  EXPECT_EQ(expanded_share(0.95, 1), 0);
}

TEST(BootstrapRatios, OfConstantsIsAPoint) {
  const std::vector<Blocks> blocks = {Blocks(9, {4, 4}), Blocks(9, {2}),
                                      Blocks(9, {8, 8, 8})};
  const auto pairs = bootstrap_ratios(blocks, 1);
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs[0].ratio, 2);
  EXPECT_EQ(pairs[0].interval_95.low, 2);
  EXPECT_EQ(pairs[0].interval_99.high, 2);
  EXPECT_EQ(pairs[1].b, 2u);
  EXPECT_EQ(pairs[1].ratio, 0.5);
  EXPECT_EQ(pairs[2].a, 1u);
  EXPECT_EQ(pairs[2].ratio, 0.25);
}

TEST(BootstrapRatios, MovesWholeRoundsForAllAlike) {
  // Every round is slow or fast for both: no resample changes the ratio,
  // however the rounds differ.
  Blocks a, b;
  for (int64_t k = 1; k <= 11; ++k) {
    a.push_back({20 * k, 20 * k});
    b.push_back({10 * k, 10 * k});
  }
  const std::vector<Blocks> both = {a, b};
  const auto pair = bootstrap_ratios(both, 1)[0];
  EXPECT_EQ(pair.interval_99.low, 2);
  EXPECT_EQ(pair.interval_99.high, 2);
}

TEST(BootstrapRatios, AgreesWithEnumeration) {
  // Nine draws of eight 1s and one 9, over 1: the median is 9 when five or
  // more draws hit it: sum over k >= 5 of C(9,k) 8^(9-k) / 9^9 = 0.15 %. The
  // moved-out 95 % share for nine rounds is Phi(-1.06 x 2.306) = 0.72 %, above
  // it; so the interval ends at 1.
  std::vector<Blocks> outlier = {Blocks(9, {1}), Blocks(9, {1})};
  outlier[0][4] = {9};
  const auto pair = bootstrap_ratios(outlier, 1)[0];
  EXPECT_EQ(pair.interval_95.low, 1);
  EXPECT_EQ(pair.interval_95.high, 1);
  // Three 9s of nine: five or more hits have sum over k >= 5 of
  // C(9,k) 2^(9-k) / 3^9 = 14.5 %.
  outlier[0][1] = outlier[0][7] = {9};
  EXPECT_EQ(bootstrap_ratios(outlier, 1)[0].interval_95.high, 9);
}

TEST(BootstrapRatios, IsRepeatableBySeed) {
  std::vector<Blocks> blocks(2);
  for (int64_t k = 0; k < 9; ++k) {
    blocks[0].push_back({100 + k % 4});
    blocks[1].push_back({100 + k % 3});
  }
  EXPECT_EQ(bootstrap_ratios(blocks, 7)[0].interval_95.low,
            bootstrap_ratios(blocks, 7)[0].interval_95.low);
}

}  // namespace
}  // namespace octavo
