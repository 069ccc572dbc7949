// Robust statistics of repeated measurements. Timings have long tails:
// medians, percentiles and MAD, never mean and standard deviation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "octavo/bench.h"

namespace octavo {

// Middle value; mean of the two middle ones for an even count; NaN for none.
double median(std::span<const double> values);

// Median of |x - median|, unscaled; NaN for none.
double mad(std::span<const double> values);

// Of sorted values, by linear interpolation between the two that stand beside
// place share * (n - 1) (R. Hyndman, Y. Fan, Sample Quantiles in Statistical
// Packages, 1996, definition 7; numpy's default); NaN for none.
double quantile_of_sorted(std::span<const double> sorted, double share);

TimeSummary summarize(std::vector<double> times);

// A contender's measurements, in blocks; those of one place were made next to
// each other and share the machine's mood.
using Blocks = std::vector<std::vector<int64_t>>;

// Intervals of median(a) / median(b) for every pair of contenders.
struct RatioIntervals {
  size_t a = 0, b = 0;
  double ratio = 0;
  Interval interval_95, interval_99;
};

// Percentile bootstrap (B. Efron, R. Tibshirani, An Introduction to the
// Bootstrap, chapter 13). Rounds are drawn with replacement, each as a whole
// and for all contenders alike: so what the runs of a block have in common does
// not make the interval too narrow. The percentiles are moved out as T.
// Hesterberg (What Teachers Should Know About the Bootstrap, 2015, 5.3) has it,
// for otherwise few rounds give intervals too narrow. The same seed gives the
// same intervals everywhere. All contenders have the same number of blocks,
// which is not 0; no block is empty.
std::vector<RatioIntervals> bootstrap_ratios(std::span<const Blocks> contenders,
                                             uint64_t seed,
                                             int resamples = 2000);

// The share below which the moved-out interval of `confidence` begins, for n
// rounds: Phi(-sqrt(n / (n - 1)) t), t the quantile of Student's distribution
// with n - 1 degrees of freedom; 0 for n = 1.
double expanded_share(double confidence, size_t n);

}  // namespace octavo
