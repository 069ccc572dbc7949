// How the differences of a floating output are spread: quantiles by a sketch of
// fixed size, relative differences, correlation, and the samples that differ
// most. Updated beside OutputStats' sums, over the same finite pairs; like them
// its size does not depend on how much was compared.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "octavo/compare.h"

namespace octavo {

// Counts of |r - c| by the bits of its float32: sixteen buckets an octave, so
// that a quantile lies within 1/32 of the true one (the bucket's middle is
// given). Differences below the smallest normal float32 count as 0.
struct DifferenceSketch {
  static constexpr int kShift = 19;  // of 23 fraction bits, 4 are kept
  static constexpr size_t kBuckets = size_t{255} << (23 - kShift);

  int64_t zeros = 0;
  std::vector<int64_t> buckets;  // empty, or kBuckets

  void add(double difference) noexcept;
  int64_t count() const noexcept;
  // The smallest value that at least `share` of the pairs do not exceed.
  double quantile(double share) const noexcept;
  // The middle of a bucket.
  static double value(size_t bucket) noexcept;
};

struct Spread {
  DifferenceSketch sketch;
  int64_t pairs = 0;
  double max_relative = 0, sum_relative = 0;
  // Centered second moments of reference and candidate (Chan, Golub, LeVeque).
  double mean_r = 0, mean_c = 0, m_rr = 0, m_cc = 0, m_rc = 0;
  std::vector<SampleDifference> worst;  // largest first, at most kWorstKept
};

// What |r - c| is divided by is never less than this.
inline constexpr double kRelativeGuard = 1e-6;
inline constexpr size_t kWorstKept = 10;

// Adds the pairs of a floating or complex tensor: `rows` of equal length, each
// a sample, the first of them the sample `first`; rows 0: samples unknown.
// Pairs with NaN or infinity are left out.
void update(Spread& spread, const TensorView& reference,
            const TensorView& candidate, int64_t first, int64_t rows);

void merge(Spread& spread, const Spread& other);

SpreadSummary finish(const Spread& spread);

}  // namespace octavo
