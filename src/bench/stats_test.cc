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

TEST(BootstrapRatio, OfConstantsIsAPoint) {
  const std::vector<Round> rounds(5, Round{{4, 4}, {2}});
  EXPECT_EQ(ratio_of_medians(rounds), 2);
  const Interval i = bootstrap_ratio(rounds, 1);
  EXPECT_EQ(i.low, 2);
  EXPECT_EQ(i.high, 2);
}

TEST(BootstrapRatio, AgreesWithEnumeration) {
  // Three draws of {1, 2, 4} over 1: the median is 1 in 7 of 27 cases and 4
  // in 7 of 27, both far above 2.5 %: the interval is [1, 4].
  const std::vector<Round> three = {{{1}, {1}}, {{2}, {1}}, {{4}, {1}}};
  const Interval i = bootstrap_ratio(three, 1);
  EXPECT_EQ(i.low, 1);
  EXPECT_EQ(i.high, 4);
  // Nine draws of eight 1s and one 9: the median is 9 when five or more draws
  // hit it: sum over k >= 5 of C(9,k) 8^(9-k) / 9^9 = 0.15 %, below 2.5 %.
  std::vector<Round> outlier(9, Round{{1}, {1}});
  outlier[4].reference = {9};
  EXPECT_EQ(bootstrap_ratio(outlier, 1).high, 1);
}

TEST(BootstrapRatio, IsRepeatableBySeed) {
  std::vector<Round> rounds;
  for (int k = 0; k < 9; ++k) rounds.push_back({{1.0 + k % 4}, {1.0 + k % 3}});
  EXPECT_EQ(bootstrap_ratio(rounds, 7).low, bootstrap_ratio(rounds, 7).low);
  EXPECT_EQ(bootstrap_ratio(rounds, 7).high, bootstrap_ratio(rounds, 7).high);
}

}  // namespace
}  // namespace octavo
