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

}  // namespace

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
  std::sort(differences.begin(), differences.end());
  return {ConfidenceInterval{quantile(differences, 0.025),
                             quantile(differences, 0.975)},
          standard_deviation(differences)};
}

}  // namespace octavo
