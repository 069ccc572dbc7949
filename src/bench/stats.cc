#include "bench/stats.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/random.h"

namespace octavo {
namespace {

double median_of_sorted(std::span<const double> v) {
  return quantile_of_sorted(v, 0.5);
}

double normal_below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// P(T > t) for whole degrees of freedom, t >= 0: the finite sums of M.
// Abramowitz, I. Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
double student_above(double t, size_t freedom) {
  const double n = static_cast<double>(freedom);
  const double angle = std::atan(t / std::sqrt(n));
  const double c = std::cos(angle), s = std::sin(angle);
  double between = 0;  // P(|T| <= t)
  double term = 1, sum = 0;
  if (freedom % 2 == 1) {
    term = c;
    for (size_t k = 1; k + 1 < freedom; k += 2) {
      sum += term;
      term *= c * c * static_cast<double>(k + 1) / static_cast<double>(k + 2);
    }
    between = 2 / std::numbers::pi * (angle + s * sum);
  } else {
    for (size_t k = 0; k + 1 < freedom; k += 2) {
      sum += term;
      term *= c * c * static_cast<double>(k + 1) / static_cast<double>(k + 2);
    }
    between = s * sum;
  }
  return (1 - between) / 2;
}

// A contender's runs in order, and the round that each was made in: a resample
// only changes how often each counts, so they are sorted once.
struct Sorted {
  std::vector<double> times;
  std::vector<uint32_t> rounds;
};

Sorted sort_runs(const Blocks& blocks) {
  std::vector<std::pair<int64_t, uint32_t>> runs;
  for (size_t i = 0; i < blocks.size(); ++i)
    for (const int64_t t : blocks[i])
      runs.emplace_back(t, static_cast<uint32_t>(i));
  std::sort(runs.begin(), runs.end());
  Sorted out;
  for (const auto& [time, round] : runs) {
    out.times.push_back(static_cast<double>(time));
    out.rounds.push_back(round);
  }
  return out;
}

// Median where run i counts as often as its round was drawn.
double weighted_median(const Sorted& runs, std::span<const uint32_t> drawn,
                       uint64_t total) {
  uint64_t below = 0;
  for (size_t i = 0; i < runs.times.size(); ++i) {
    below += drawn[runs.rounds[i]];
    if (2 * below > total) return runs.times[i];
    if (2 * below == total) {
      size_t k = i + 1;
      while (drawn[runs.rounds[k]] == 0) ++k;
      return (runs.times[i] + runs.times[k]) / 2;
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double quantile_of_sorted(std::span<const double> sorted, double share) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double place = share * static_cast<double>(sorted.size() - 1);
  const size_t i = static_cast<size_t>(place);
  if (i + 1 >= sorted.size()) return sorted.back();
  const double part = place - static_cast<double>(i);
  return sorted[i] + part * (sorted[i + 1] - sorted[i]);
}

double median(std::span<const double> values) {
  std::vector<double> v(values.begin(), values.end());
  std::sort(v.begin(), v.end());
  return median_of_sorted(v);
}

double mad(std::span<const double> values) {
  const double middle = median(values);
  std::vector<double> v(values.begin(), values.end());
  for (double& x : v) x = std::abs(x - middle);
  return median(v);
}

TimeSummary summarize(std::vector<double> times) {
  TimeSummary out;
  if (times.empty()) return out;
  std::sort(times.begin(), times.end());
  out.runs = std::ssize(times);
  out.least = times.front();
  out.p10 = quantile_of_sorted(times, 0.10);
  out.median = median_of_sorted(times);
  out.p90 = quantile_of_sorted(times, 0.90);
  out.p95 = quantile_of_sorted(times, 0.95);
  out.p99 = quantile_of_sorted(times, 0.99);
  out.most = times.back();
  out.mad = mad(times);
  return out;
}

double expanded_share(double confidence, size_t n) {
  if (n < 2) return 0;
  const double tail = (1 - confidence) / 2;
  double low = 0, high = 1e6;
  for (int i = 0; i < 200; ++i) {
    const double t = (low + high) / 2;
    (student_above(t, n - 1) > tail ? low : high) = t;
  }
  const double count = static_cast<double>(n);
  return normal_below(-std::sqrt(count / (count - 1)) * low);
}

std::vector<RatioIntervals> bootstrap_ratios(std::span<const Blocks> contenders,
                                             uint64_t seed, int resamples) {
  assert(!contenders.empty() && !contenders[0].empty() && resamples > 0);
  const size_t rounds = contenders[0].size(), models = contenders.size();
  std::vector<Sorted> sorted;
  for (const Blocks& blocks : contenders) sorted.push_back(sort_runs(blocks));
  std::vector<std::vector<double>> medians(models);
  std::vector<uint32_t> drawn(rounds);
  Random random(seed);
  for (int i = 0; i < resamples; ++i) {
    std::fill(drawn.begin(), drawn.end(), 0);
    for (size_t k = 0; k < rounds; ++k) ++drawn[random.below(rounds)];
    for (size_t m = 0; m < models; ++m) {
      uint64_t total = 0;
      for (size_t k = 0; k < rounds; ++k)
        total += drawn[k] * contenders[m][k].size();
      medians[m].push_back(weighted_median(sorted[m], drawn, total));
    }
  }
  const double share_95 = expanded_share(0.95, rounds);
  const double share_99 = expanded_share(0.99, rounds);
  std::vector<RatioIntervals> out;
  std::vector<double> ratios(static_cast<size_t>(resamples));
  for (size_t a = 0; a < models; ++a)
    for (size_t b = a + 1; b < models; ++b) {
      for (size_t i = 0; i < ratios.size(); ++i)
        ratios[i] = medians[a][i] / medians[b][i];
      std::sort(ratios.begin(), ratios.end());
      const auto interval = [&](double share) {
        return Interval{quantile_of_sorted(ratios, share),
                        quantile_of_sorted(ratios, 1 - share)};
      };
      out.push_back({a, b,
                     median_of_sorted(sorted[a].times) /
                         median_of_sorted(sorted[b].times),
                     interval(share_95), interval(share_99)});
    }
  return out;
}

}  // namespace octavo
