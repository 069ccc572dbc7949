// How long two models take on the same feeds: measured in turns, so that
// whatever else the machine does hits both alike. A first figure, bounded in
// time; not a benchmark of a machine. Its door: `measure_latency`.
#pragma once

#include <functional>
#include <span>

#include "bench/stats.h"
#include "octavo/runner.h"

namespace octavo {

struct LatencyOptions {
  double budget_seconds = 2;
  // Timed runs of a block; 0: so that about 20 rounds fit the budget.
  int block_runs = 0;
  uint64_t seed = 1;
};

enum class LatencyOutcome {
  faster,         // the interval of the ratio lies above 1
  slower,         // it lies below 1
  no_difference,  // it holds 1: no difference shown, none disproved
  too_few,        // fewer rounds than kLeastRounds: no statement
};

// "faster", "slower", "no difference shown", "too few runs".
const char* outcome_name(LatencyOutcome outcome) noexcept;

struct LatencyResult {
  std::vector<Round> rounds;  // seconds; raw, the dropped runs left out
  double reference_median = 0;
  double reference_mad = 0;
  double candidate_median = 0;
  double candidate_mad = 0;
  double ratio = 0;   // reference median / candidate median: above 1 is faster
  Interval interval;  // 95 %
  LatencyOutcome outcome = LatencyOutcome::too_few;
};

inline constexpr size_t kLeastRounds = 6;

// A clock in seconds that never goes back.
using Clock = std::function<double()>;
Clock steady_clock();

// Rounds of one block of runs for each model, in an order drawn anew for
// every round, until the budget is spent (at least one round, at most 200). The
// first run of a block is not timed: it pays for caches that the other model
// filled. Both models take the same feeds in the same order. Passes on what the
// runners throw; `feeds` is not empty.
LatencyResult measure_latency(Runner& reference, Runner& candidate,
                              std::span<const Feed> feeds,
                              const LatencyOptions& options = {},
                              const Clock& clock = steady_clock());

}  // namespace octavo
