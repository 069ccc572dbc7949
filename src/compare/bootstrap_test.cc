#include "compare/bootstrap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace octavo {
namespace {

// The mean over samples of x; model 0 gives 0.
WeightedMetric mean_of(const std::vector<double>& x) {
  return [x](int model, Weights weights) {
    double sum = 0, all = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      sum += weights[i] * x[i];
      all += weights[i];
    }
    return model == 0 ? 0 : sum / all;
  };
}

TEST(Bootstrap, FindsTheStandardErrorOfAMean) {
  std::vector<double> x;
  for (int i = 0; i < 400; ++i) x.push_back(i % 4 == 0 ? 1 : 0);
  const BootstrapResult r = bootstrap_difference(x.size(), mean_of(x), 1);
  // sqrt(0.25 x 0.75 / 400); 2000 draws find it to 1 / sqrt(4000) = 1.6 %.
  const double expected = std::sqrt(0.25 * 0.75 / 400);
  EXPECT_NEAR(r.standard_error, expected, 0.06 * expected);
  ASSERT_TRUE(r.interval);
  EXPECT_NEAR(r.interval->low, 0.25 - 1.96 * expected, 0.3 * expected);
  EXPECT_NEAR(r.interval->high, 0.25 + 1.96 * expected, 0.3 * expected);
}

TEST(Bootstrap, GivesTheSameForTheSameSeed) {
  const std::vector<double> x = {1, 4, 2, 8, 5, 7};
  const auto a = bootstrap_difference(x.size(), mean_of(x), 7);
  const auto b = bootstrap_difference(x.size(), mean_of(x), 7);
  const auto c = bootstrap_difference(x.size(), mean_of(x), 8);
  EXPECT_EQ(a.interval->low, b.interval->low);
  EXPECT_EQ(a.standard_error, b.standard_error);
  EXPECT_NE(a.standard_error, c.standard_error);
}

TEST(Bootstrap, DrawsTheSameSamplesForBothModels) {
  const auto mean = mean_of({1, 4, 2, 8, 5, 7});
  const auto r = bootstrap_difference(
      6, [&](int, Weights weights) { return mean(1, weights); }, 0);
  EXPECT_EQ(r.interval->low, 0);
  EXPECT_EQ(r.interval->high, 0);
}

TEST(Bootstrap, HasNoIntervalWhereAMetricIsOftenUndefined) {
  const auto nan = [](int, Weights weights) {
    return weights[0] > 0 ? 1.0 : std::numeric_limits<double>::quiet_NaN();
  };
  // A draw of 10 misses the first sample with probability 0.9^10 = 0.35.
  EXPECT_FALSE(bootstrap_difference(10, nan, 0).interval);
  EXPECT_FALSE(bootstrap_difference(0, nan, 0).interval);
}

// Sample by sample and by counts, the difference of two shares is the same
// distribution: its standard error is sqrt(q - d^2) / sqrt(n) for the share q
// of discordant samples and the difference d.
TEST(Bootstrap, OfDiscordantCountsIsThatOfSamples) {
  struct Case {
    int64_t n, lost, gained;
  };
  for (const auto& [n, lost, gained] :
       {Case{400, 30, 10}, Case{1000, 1, 0}, Case{50, 40, 10}, Case{60, 0, 60},
        Case{10000, 3000, 3000}}) {
    std::vector<double> x(static_cast<size_t>(n), 0);
    std::fill_n(x.begin(), lost, -1);
    std::fill_n(x.begin() + lost, gained, 1);
    const auto by_samples = bootstrap_difference(x.size(), mean_of(x), 3);
    const auto by_counts = bootstrap_discordant(n, lost, gained, 4);
    const auto all = static_cast<double>(n);
    const double q = static_cast<double>(lost + gained) / all;
    const double d = static_cast<double>(gained - lost) / all;
    const double expected = std::sqrt((q - d * d) / all);
    EXPECT_NEAR(by_counts.standard_error, expected, 0.06 * expected + 1e-12)
        << n;
    EXPECT_NEAR(by_counts.interval->low, by_samples.interval->low,
                0.4 * expected + 1 / all);
    EXPECT_NEAR(by_counts.interval->high, by_samples.interval->high,
                0.4 * expected + 1 / all);
  }
}

TEST(Bootstrap, OfNoDiscordantSamplesIsNothing) {
  const auto r = bootstrap_discordant(100, 0, 0, 1);
  EXPECT_EQ(r.interval->low, 0);
  EXPECT_EQ(r.interval->high, 0);
  EXPECT_EQ(r.standard_error, 0);
  EXPECT_FALSE(bootstrap_discordant(0, 0, 0, 1).interval);
}

}  // namespace
}  // namespace octavo
