// Robust statistics of repeated measurements. Timings have long tails:
// median and MAD, never mean and standard deviation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace octavo {

// Middle value; mean of the two middle ones for an even count; NaN for none.
double median(std::span<const double> values);

// Median of |x - median|, unscaled; NaN for none.
double mad(std::span<const double> values);

// Measurements of two contenders made next to each other. Those of one round
// share the machine's mood, so a resample takes or leaves a round as a whole.
struct Round {
  std::vector<double> reference;
  std::vector<double> candidate;
};

struct Interval {
  double low = 0;
  double high = 0;
};

// Median of all reference values over median of all candidate values.
double ratio_of_medians(std::span<const Round> rounds);

// 95 % percentile bootstrap interval of ratio_of_medians, rounds drawn with
// replacement (B. Efron, R. Tibshirani, An Introduction to the Bootstrap,
// chapter 13). The same seed gives the same interval everywhere. `rounds` is
// not empty, and none of its rounds is.
Interval bootstrap_ratio(std::span<const Round> rounds, uint64_t seed,
                         int resamples = 1000);

}  // namespace octavo
