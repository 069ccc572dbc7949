// How fast models run beside each other, with a statement that holds: the same
// inputs, in small blocks, in an order drawn anew for every round, so that
// whatever else the machine does hits all alike. Doors: `bench` for latency,
// `bench_load` for many callers at once. Not a benchmark of a machine: only
// the ratios are meant to outlive the run.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "octavo/runner.h"
#include "octavo/samples.h"

namespace octavo {

// A model to be timed. Open all of them on one Runtime with the same options:
// then they share one pool of threads, and none of them slows another.
struct Contender {
  std::string name;
  Runner* runner = nullptr;
};

// Nanoseconds that never go back.
class BenchClock {
 public:
  virtual ~BenchClock() = default;
  virtual int64_t now() = 0;
};
BenchClock& steady_clock();

struct BenchProgress {
  double seconds = 0, budget_seconds = 0;
};

struct BenchOptions {
  double budget_seconds = 30;
  // Ends once every interval's half width is at most this share of its ratio;
  // 0: only the budget ends it.
  double until = 0;
  // Timed runs of a block; 0: so that about 40 rounds fit the budget.
  int64_t block_runs = 0;
  // Batches of the samples that are used, the first ones; held in memory.
  int64_t most_batches = 16;
  uint64_t seed = 1;
  std::function<void(const BenchProgress&)> progress;
  // Ends early with what there is.
  const std::atomic<bool>* stop = nullptr;
};

struct Interval {
  double low = 0;
  double high = 0;
};

// Of all timed runs, in nanoseconds; percentiles by linear interpolation.
struct TimeSummary {
  int64_t runs = 0;
  double least = 0, p10 = 0, median = 0, p90 = 0, p95 = 0, p99 = 0, most = 0;
  double mad = 0;  // median of |t - median|, unscaled
};

// Two sessions of one and the same model differ by some tenths of a per cent:
// their memory lies elsewhere. Less than this is never called a difference.
inline constexpr double kLeastDifference = 0.01;

enum class Outcome {
  faster,  // the 99 % interval of the ratio lies above 1, and the ratio is at
           // least 1 + kLeastDifference
  slower,  // the same the other way round
  no_difference,  // else: no difference shown, none disproved
  too_few,        // fewer rounds than kLeastRounds: no statement
};

// "faster", "slower", "no difference shown", "too few runs".
const char* outcome_name(Outcome outcome) noexcept;

inline constexpr size_t kLeastRounds = 6;

struct ContenderTimes {
  std::string name;
  int64_t first_run = 0;  // ns; the very first call, not among the blocks
  // One block a round; ns of each timed run, in the order they were made.
  std::vector<std::vector<int64_t>> blocks;
  TimeSummary summary;
};

// How fast `b` is beside `a`.
struct PairRatio {
  size_t a = 0, b = 0;  // contenders, a < b
  double ratio = 0;     // median of a / median of b: above 1, b is faster
  Interval interval_95, interval_99;
  Outcome outcome = Outcome::too_few;
};

struct BenchResult {
  std::vector<ContenderTimes> contenders;  // in the order given
  std::vector<PairRatio> pairs;            // (0,1), (0,2), ..., (1,2), ...
  size_t rounds = 0;
  int64_t block_runs = 0;
  int64_t batches = 0;           // that were used
  int64_t samples = 0;           // in them
  int64_t samples_per_call = 1;  // of the first
  double seconds = 0;
  // "precision", "budget", "rounds" (more would tell no more), "stopped".
  std::string ended_by;
};

// Times the models. Throws Error(usage) for no contender or no batch, and
// passes on what the runners throw.
BenchResult bench(std::span<Contender> contenders, const SampleSource& samples,
                  const BenchOptions& options = {},
                  BenchClock& clock = steady_clock());

struct LoadOptions {
  int clients = 1;  // callers at once, each with its own thread
  double budget_seconds = 10;
  int64_t most_batches = 16;
  uint64_t seed = 1;
  const std::atomic<bool>* stop = nullptr;
};

struct LoadTimes {
  std::string name;
  // Calls answered a second, of each round; and of all rounds.
  std::vector<double> rates;
  double calls_per_second = 0;
  TimeSummary latency;  // of a call, as its caller waits for it
};

// All clients call one model for a slice of time, then the next model, in an
// order drawn anew each round. Calls that a slice's end cuts are finished and
// counted.
std::vector<LoadTimes> bench_load(std::span<Contender> contenders,
                                  const SampleSource& samples,
                                  const LoadOptions& options = {});

}  // namespace octavo
