// How far a difference of two models on the same samples may be chance: the
// paired bootstrap (B. Efron, R. Tibshirani, An Introduction to the Bootstrap,
// 1993, chapters 8 and 13). Its door: `bootstrap_difference`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "octavo/task.h"

namespace octavo {

// How often each sample counts.
using Weights = std::span<const uint32_t>;

// A metric of model 0 (reference) or 1 (candidate) over weighted samples; NaN:
// undefined for these. Called from several threads at once.
using WeightedMetric = std::function<double(int model, Weights weights)>;

struct BootstrapResult {
  // Percentile interval, 2.5 % to 97.5 %; empty: too often undefined.
  std::optional<ConfidenceInterval> interval;
  double standard_error = 0;
};

// Draws `samples` samples with replacement, again and again, the same ones for
// both models, and takes value(1) - value(0) of each draw: 2000 times, from
// 100,000 samples on less often (2e8 / samples, at least 200). The same seed
// gives the same result on every platform, whatever the number of threads.
// Draws where a model's value is undefined are left out; where they are more
// than one in twenty, there is no interval.
BootstrapResult bootstrap_difference(size_t samples,
                                     const WeightedMetric& value,
                                     uint64_t seed);

// The same for a share of right samples, of which `lost` are right in the
// reference only and `gained` in the candidate only: the difference of a draw
// is (gained drawn - lost drawn) / samples, and how many are drawn of each is
// binomial, so that a draw costs as many steps as there are such samples, not
// as there are samples at all. Always 2000 draws.
BootstrapResult bootstrap_discordant(int64_t samples, int64_t lost,
                                     int64_t gained, uint64_t seed);

}  // namespace octavo
