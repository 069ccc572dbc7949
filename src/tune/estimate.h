// How far a candidate's outputs are from the original's, from as many samples
// as it takes: batch by batch, until the figure's standard error is small
// enough. Its door: `estimate_error`.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "compare/walk.h"
#include "octavo/runner.h"
#include "octavo/samples.h"

namespace octavo {

// Sums over some batches, an entry for each output.
struct ErrorSums {
  struct Output {
    double squares = 0;    // of differences; elements that differ, of others
    double reference = 0;  // of the original's elements; all elements
  };
  std::vector<Output> outputs;
};

// Those of each output's statistics. Infinite where it could not be compared,
// or has NaN or infinity where the original has none.
ErrorSums error_sums(const std::vector<PartStats>& outputs);

// The root mean square over outputs of sqrt(squares / reference): of relative
// L2, for floating outputs. 0 where nothing differs.
double error_of(const ErrorSums& sums);

struct ErrorEstimate {
  double error = 0;
  // By the jackknife over batches (B. Efron, R. Tibshirani, An Introduction to
  // the Bootstrap, 1993, chapter 11); 0 where all samples were used.
  double standard_error = 0;
  int64_t samples = 0;
};

// Of the batches so far; `left` says that there are more.
ErrorEstimate estimate(const std::vector<ErrorSums>& batches, bool left);

inline constexpr size_t kLeastBatches = 8;

// Compares on one batch after the other, in the given order, until there are
// kLeastBatches and the standard error is at most `precision` of the error, or
// until the end. Empty: stopped.
std::optional<ErrorEstimate> estimate_error(Runner& reference,
                                            Runner& candidate,
                                            const SampleSource& samples,
                                            const std::vector<int64_t>& order,
                                            double precision,
                                            const std::atomic<bool>* stop);

}  // namespace octavo
