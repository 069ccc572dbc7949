#include "bench/latency.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <random>

namespace octavo {
namespace {

constexpr double kRoundsWanted = 20;
constexpr int kMostBlockRuns = 50;
// Models of microseconds: more rounds would tell no more, and take longer to
// resample than to measure.
constexpr size_t kMostRounds = 200;

double time_run(Runner& runner, const Feed& feed, const Clock& clock) {
  const double begin = clock();
  runner.run(feed);
  return clock() - begin;
}

// One dropped run, then `runs` timed ones on the feeds from `first` on.
std::vector<double> time_block(Runner& runner, std::span<const Feed> feeds,
                               size_t first, int runs, const Clock& clock) {
  runner.run(feeds[first % feeds.size()]);
  std::vector<double> seconds;
  for (int i = 0; i < runs; ++i)
    seconds.push_back(time_run(
        runner, feeds[(first + static_cast<size_t>(i)) % feeds.size()], clock));
  return seconds;
}

int choose_block_runs(double pair_seconds, double budget) {
  // A round is (runs + 1) runs of each model.
  const double runs = budget / (kRoundsWanted * std::max(pair_seconds, 1e-9));
  return static_cast<int>(std::clamp(runs - 1, 1.0, double{kMostBlockRuns}));
}

LatencyOutcome judge(const LatencyResult& r) {
  if (r.rounds.size() < kLeastRounds) return LatencyOutcome::too_few;
  if (r.interval.low > 1) return LatencyOutcome::faster;
  if (r.interval.high < 1) return LatencyOutcome::slower;
  return LatencyOutcome::no_difference;
}

void summarize(LatencyResult& r, uint64_t seed) {
  std::vector<double> reference, candidate;
  for (const Round& round : r.rounds) {
    reference.insert(reference.end(), round.reference.begin(),
                     round.reference.end());
    candidate.insert(candidate.end(), round.candidate.begin(),
                     round.candidate.end());
  }
  r.reference_median = median(reference);
  r.reference_mad = mad(reference);
  r.candidate_median = median(candidate);
  r.candidate_mad = mad(candidate);
  r.ratio = ratio_of_medians(r.rounds);
  r.interval = bootstrap_ratio(r.rounds, seed);
  r.outcome = judge(r);
}

}  // namespace

Clock steady_clock() {
  return [] {
    return std::chrono::duration<double>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
}

const char* outcome_name(LatencyOutcome outcome) noexcept {
  switch (outcome) {
    case LatencyOutcome::faster:
      return "faster";
    case LatencyOutcome::slower:
      return "slower";
    case LatencyOutcome::no_difference:
      return "no difference shown";
    case LatencyOutcome::too_few:
      break;
  }
  return "too few runs";
}

LatencyResult measure_latency(Runner& reference, Runner& candidate,
                              std::span<const Feed> feeds,
                              const LatencyOptions& options,
                              const Clock& clock) {
  assert(!feeds.empty());
  const double begin = clock();
  // Warms both up and tells how many runs fit.
  reference.run(feeds[0]);
  candidate.run(feeds[0]);
  const double pair = time_run(reference, feeds[0], clock) +
                      time_run(candidate, feeds[0], clock);
  const int runs = options.block_runs > 0
                       ? options.block_runs
                       : choose_block_runs(pair, options.budget_seconds);
  LatencyResult result;
  std::mt19937_64 random(options.seed);
  size_t first = 0;
  do {
    Round round;
    const auto time_reference = [&] {
      round.reference = time_block(reference, feeds, first, runs, clock);
    };
    const auto time_candidate = [&] {
      round.candidate = time_block(candidate, feeds, first, runs, clock);
    };
    if (random() >> 63) {
      time_reference();
      time_candidate();
    } else {
      time_candidate();
      time_reference();
    }
    result.rounds.push_back(std::move(round));
    first += static_cast<size_t>(runs);
  } while (clock() - begin < options.budget_seconds &&
           result.rounds.size() < kMostRounds);
  summarize(result, options.seed);
  return result;
}

}  // namespace octavo
