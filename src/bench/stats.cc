#include "bench/stats.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <random>

namespace octavo {
namespace {

// Reorders `v`; it is ours.
double median_of(std::vector<double>& v) {
  if (v.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::nth_element(v.begin(), middle, v.end());
  if (v.size() % 2 == 1) return *middle;
  return (*std::max_element(v.begin(), middle) + *middle) / 2;
}

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

double median(std::span<const double> values) {
  std::vector<double> v(values.begin(), values.end());
  return median_of(v);
}

double mad(std::span<const double> values) {
  const double middle = median(values);
  std::vector<double> v(values.begin(), values.end());
  for (double& x : v) x = std::abs(x - middle);
  return median_of(v);
}

double ratio_of_medians(std::span<const Round> rounds) {
  std::vector<double> reference, candidate;
  for (const Round& round : rounds) {
    append(reference, round.reference);
    append(candidate, round.candidate);
  }
  return median_of(reference) / median_of(candidate);
}

Interval bootstrap_ratio(std::span<const Round> rounds, uint64_t seed,
                         int resamples) {
  assert(!rounds.empty() && resamples > 0);
  std::mt19937_64 random(seed);
  std::vector<double> ratios;
  std::vector<double> reference, candidate;
  for (int i = 0; i < resamples; ++i) {
    reference.clear();
    candidate.clear();
    for (size_t k = 0; k < rounds.size(); ++k) {
      // Not uniform_int_distribution: its values differ between libraries.
      // The bias of the remainder is below rounds / 2^64.
      const Round& round = rounds[random() % rounds.size()];
      append(reference, round.reference);
      append(candidate, round.candidate);
    }
    ratios.push_back(median_of(reference) / median_of(candidate));
  }
  std::sort(ratios.begin(), ratios.end());
  const auto at = [&](double share) {
    return ratios[static_cast<size_t>(
        std::llround(share * static_cast<double>(resamples - 1)))];
  };
  return {at(0.025), at(0.975)};
}

}  // namespace octavo
