#include "octavo/bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "bench/calls.h"
#include "bench/stats.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr double kRoundsWanted = 40;
// So that a block is over before the machine's mood has changed much.
constexpr double kMostBlockNs = 100e6;
constexpr int64_t kMostBlockRuns = 100;
// Models of microseconds: more rounds would tell no more, and take longer to
// resample than to measure.
constexpr size_t kMostRounds = 1000;

int64_t choose_block_runs(double slowest_ns, double all_ns, double budget_ns) {
  // A round is (runs + 1) runs of each model.
  const double fit = budget_ns / (kRoundsWanted * all_ns) - 1;
  const double small = kMostBlockNs / slowest_ns;
  return static_cast<int64_t>(
      std::clamp(std::min(fit, small), 1.0, double{kMostBlockRuns}));
}

void judge(BenchResult& r, uint64_t seed) {
  std::vector<Blocks> blocks;
  for (const ContenderTimes& c : r.contenders) blocks.push_back(c.blocks);
  r.pairs.clear();
  for (const RatioIntervals& i : bootstrap_ratios(blocks, seed)) {
    PairRatio pair{i.a, i.b, i.ratio, i.interval_95, i.interval_99};
    constexpr double kLeast = 1 + kLeastDifference;
    pair.outcome = r.rounds < kLeastRounds ? Outcome::too_few
                   : pair.interval_99.low > 1 && pair.ratio >= kLeast
                       ? Outcome::faster
                   : pair.interval_99.high < 1 && 1 / pair.ratio >= kLeast
                       ? Outcome::slower
                       : Outcome::no_difference;
    r.pairs.push_back(pair);
  }
}

bool precise(const BenchResult& r, double until) {
  return std::all_of(r.pairs.begin(), r.pairs.end(), [&](const PairRatio& p) {
    return p.interval_95.high - p.interval_95.low <= 2 * until * p.ratio;
  });
}

class Bench {
 public:
  Bench(std::span<Contender> contenders, const BenchOptions& options,
        BenchClock& clock)
      : options_(options), clock_(clock), random_(options.seed) {
    for (const Contender& c : contenders) {
      result_.contenders.emplace_back();
      result_.contenders.back().name = c.name;
    }
    order_.resize(contenders.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
  }

  BenchResult run(std::span<Contender> contenders, const UsedBatches& used) {
    const int64_t begin = clock_.now();
    const auto passed = [&] {
      return static_cast<double>(clock_.now() - begin) / 1e9;
    };
    result_.batches = std::ssize(used.feeds);
    result_.samples = used.samples;
    result_.samples_per_call = used.samples_per_call;
    calls_ = prepare_calls(contenders, used);
    warm_up();
    // Checked ever more rarely: looking costs time, and chance more looks.
    size_t next_look = kLeastRounds;
    while (result_.ended_by.empty()) {
      one_round();
      if (options_.progress)
        options_.progress({passed(), options_.budget_seconds});
      if (options_.stop != nullptr && *options_.stop)
        result_.ended_by = "stopped";
      else if (passed() >= options_.budget_seconds)
        result_.ended_by = "budget";
      else if (result_.rounds >= kMostRounds)
        result_.ended_by = "rounds";
      else if (options_.until > 0 && result_.rounds >= next_look) {
        next_look = result_.rounds + std::max<size_t>(4, result_.rounds / 3);
        judge(result_, options_.seed);
        if (precise(result_, options_.until)) result_.ended_by = "precision";
      }
    }
    result_.seconds = passed();
    for (ContenderTimes& c : result_.contenders) {
      std::vector<double> all;
      for (const auto& block : c.blocks)
        all.insert(all.end(), block.begin(), block.end());
      c.summary = summarize(std::move(all));
    }
    judge(result_, options_.seed);
    return std::move(result_);
  }

 private:
  int64_t time_call(size_t model, size_t feed) {
    const auto& call = calls_[model][feed % calls_[model].size()];
    const int64_t begin = clock_.now();
    call();
    return clock_.now() - begin;
  }

  // The first call of each, apart; then one more, which tells how many fit.
  void warm_up() {
    double slowest = 1, all = 0;
    for (size_t m = 0; m < calls_.size(); ++m)
      result_.contenders[m].first_run = time_call(m, 0);
    for (size_t m = 0; m < calls_.size(); ++m) {
      const double ns = std::max(1.0, static_cast<double>(time_call(m, 0)));
      slowest = std::max(slowest, ns);
      all += ns;
    }
    result_.block_runs =
        options_.block_runs > 0
            ? options_.block_runs
            : choose_block_runs(slowest, all, options_.budget_seconds * 1e9);
  }

  // The first run of a block is not counted: it pays for caches that the other
  // models filled. All models take the same feeds in the same order.
  void one_round() {
    for (size_t i = order_.size(); i > 1; --i)
      std::swap(order_[i - 1], order_[random_.below(i)]);
    for (const size_t m : order_) {
      std::vector<int64_t> block;
      block.reserve(static_cast<size_t>(result_.block_runs));
      time_call(m, first_);
      for (int64_t i = 0; i < result_.block_runs; ++i)
        block.push_back(time_call(m, first_ + static_cast<size_t>(i)));
      result_.contenders[m].blocks.push_back(std::move(block));
    }
    first_ += static_cast<size_t>(result_.block_runs);
    ++result_.rounds;
  }

  const BenchOptions& options_;
  BenchClock& clock_;
  Random random_;
  std::vector<size_t> order_;
  std::vector<std::vector<PreparedCall>> calls_;
  size_t first_ = 0;
  BenchResult result_;
};

class SteadyClock : public BenchClock {
 public:
  int64_t now() override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

}  // namespace

BenchClock& steady_clock() {
  static SteadyClock clock;  // holds no state
  return clock;
}

const char* outcome_name(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::faster:
      return "faster";
    case Outcome::slower:
      return "slower";
    case Outcome::no_difference:
      return "no difference shown";
    case Outcome::too_few:
      break;
  }
  return "too few runs";
}

BenchResult bench(std::span<Contender> contenders, const SampleSource& samples,
                  const BenchOptions& options, BenchClock& clock) {
  if (contenders.empty())
    throw Error(ErrorKind::usage,
                "there is no model to time; name at least one.");
  const UsedBatches used = use_batches(samples, options.most_batches);
  return Bench(contenders, options, clock).run(contenders, used);
}

}  // namespace octavo
