// Many callers at once: what a server sees.
#include <algorithm>
#include <exception>
#include <latch>
#include <numeric>
#include <thread>

#include "base/random.h"
#include "bench/calls.h"
#include "bench/stats.h"
#include "octavo/bench.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr double kRoundsWanted = 10;

struct Slice {
  std::vector<double> latencies;  // ns
  double seconds = 0;             // until the last call had its answer
};

// One model for `ns`, by all clients.
Slice run_slice(Contender& contender, const UsedBatches& used, int clients,
                double ns) {
  BenchClock& clock = steady_clock();
  std::vector<std::vector<double>> times(static_cast<size_t>(clients));
  std::vector<std::exception_ptr> errors(times.size());
  std::vector<std::vector<std::vector<PreparedCall>>> calls;
  for (int i = 0; i < clients; ++i)
    calls.push_back(prepare_calls(std::span(&contender, 1), used));
  std::latch ready(clients + 1);
  const auto client = [&](size_t i) {
    const auto& mine = calls[i][0];
    try {
      // As for latency: the first call pays for caches and is not counted.
      mine[i % mine.size()]();
    } catch (...) {
      errors[i] = std::current_exception();
    }
    ready.arrive_and_wait();
    if (errors[i]) return;
    try {
      const int64_t begin = clock.now();
      int64_t now = begin;
      for (size_t k = i; static_cast<double>(now - begin) < ns; ++k) {
        mine[k % mine.size()]();
        const int64_t end = clock.now();
        times[i].push_back(static_cast<double>(end - now));
        now = end;
      }
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < times.size(); ++i) threads.emplace_back(client, i);
  ready.arrive_and_wait();
  const int64_t begin = clock.now();
  for (std::thread& t : threads) t.join();
  Slice out;
  out.seconds = static_cast<double>(clock.now() - begin) / 1e9;
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
  for (const auto& t : times)
    out.latencies.insert(out.latencies.end(), t.begin(), t.end());
  return out;
}

}  // namespace

std::vector<LoadTimes> bench_load(std::span<Contender> contenders,
                                  const SampleSource& samples,
                                  const LoadOptions& options) {
  if (options.clients < 1)
    throw Error(ErrorKind::usage, "no clients call; give a number from 1.");
  const UsedBatches used = use_batches(samples, options.most_batches);
  std::vector<LoadTimes> out(contenders.size());
  std::vector<std::vector<double>> all(contenders.size());
  std::vector<double> seconds(contenders.size());
  std::vector<size_t> order(contenders.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t m = 0; m < out.size(); ++m) out[m].name = contenders[m].name;
  const double slice_ns = options.budget_seconds * 1e9 /
                          (kRoundsWanted * static_cast<double>(out.size()));
  Random random(options.seed);
  for (int round = 0; round < static_cast<int>(kRoundsWanted); ++round) {
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[random.below(i)]);
    for (const size_t m : order) {
      const Slice slice =
          run_slice(contenders[m], used, options.clients, slice_ns);
      out[m].rates.push_back(static_cast<double>(slice.latencies.size()) /
                             slice.seconds);
      seconds[m] += slice.seconds;
      all[m].insert(all[m].end(), slice.latencies.begin(),
                    slice.latencies.end());
    }
    if (options.stop != nullptr && *options.stop) break;
  }
  for (size_t m = 0; m < out.size(); ++m) {
    out[m].calls_per_second = static_cast<double>(all[m].size()) / seconds[m];
    out[m].latency = summarize(std::move(all[m]));
  }
  return out;
}

}  // namespace octavo
