#include "compare/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"

namespace octavo {
namespace {

size_t draws_of(size_t samples) {
  return std::clamp<size_t>(200'000'000 / samples, 200, 2000);
}

// Linear between the neighbours, as numpy.percentile; `sorted` is not empty.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<size_t>(at);
  const size_t high = std::min(low + 1, sorted.size() - 1);
  const double part = at - static_cast<double>(low);
  return sorted[low] + part * (sorted[high] - sorted[low]);
}

double standard_deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  double mean = 0, squares = 0;
  for (double v : values) mean += v / static_cast<double>(values.size());
  for (double v : values) squares += (v - mean) * (v - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

// How many of n trials succeed, each with probability p: failures are skipped
// a run at a time (L. Devroye, Non-Uniform Random Variate Generation, 1986,
// section X.4, the second waiting time method).
int64_t binomial(Random& random, int64_t n, double p) {
  if (p <= 0 || n <= 0) return 0;
  if (p >= 1) return n;
  if (p > 0.5) return n - binomial(random, n, 1 - p);
  const double log_failure = std::log1p(-p);
  int64_t successes = 0;
  for (double left = static_cast<double>(n);;) {
    // 1 - u is in (0, 1].
    const double skipped =
        std::floor(std::log(1 - random.uniform()) / log_failure);
    left -= skipped + 1;
    if (left < 0) return successes;
    ++successes;
  }
}

BootstrapResult summary_of(std::vector<double> differences) {
  std::sort(differences.begin(), differences.end());
  return {ConfidenceInterval{quantile(differences, 0.025),
                             quantile(differences, 0.975)},
          standard_deviation(differences)};
}

}  // namespace

BootstrapResult bootstrap_discordant(int64_t samples, int64_t lost,
                                     int64_t gained, uint64_t seed) {
  if (samples <= 0) return {};
  constexpr size_t kDraws = 2000;
  const auto n = static_cast<double>(samples);
  std::vector<double> differences;
  for (size_t draw = 0; draw < kDraws; ++draw) {
    Random random(seed, draw);
    const int64_t l = binomial(random, samples, static_cast<double>(lost) / n);
    const int64_t g = lost == samples
                          ? 0
                          : binomial(random, samples - l,
                                     static_cast<double>(gained) /
                                         static_cast<double>(samples - lost));
    differences.push_back(static_cast<double>(g - l) / n);
  }
  return summary_of(std::move(differences));
}

BootstrapResult bootstrap_difference(size_t samples,
                                     const WeightedMetric& value,
                                     uint64_t seed) {
  if (samples == 0) return {};
  const size_t draws = draws_of(samples);
  std::vector<double> differences(draws);
  // A stream of random numbers for each draw, so that threads do not matter.
  parallel_pieces(draws, 0, [&](size_t draw) {
    Random random(seed, draw);
    std::vector<uint32_t> weights(samples);
    for (size_t i = 0; i < samples; ++i) ++weights[random.below(samples)];
    differences[draw] = value(1, weights) - value(0, weights);
  });
  std::erase_if(differences, [](double d) { return !std::isfinite(d); });
  if (differences.size() * 20 < draws * 19) return {};
  return summary_of(std::move(differences));
}

}  // namespace octavo
