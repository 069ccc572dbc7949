// The comparison itself: one pass over the samples, both models on each
// batch, statistics updated, nothing kept.
#include "octavo/compare.h"

#include <fmt/format.h>

#include "compare/checks.h"
#include "compare/comparison.h"
#include "compare/pairing.h"
#include "octavo/error.h"
#include "octavo/shards.h"

namespace octavo {
namespace {

void check_all(const Runner& reference, const Runner& candidate,
               const SampleSource& samples, const CompareOptions& options) {
  check_tolerances(options);
  check_same_inputs(reference, candidate);
  check_labels(reference, samples, options);
  if (samples.batches() == 0)
    throw Error(ErrorKind::usage,
                fmt::format("there is no sample to compare on ({})",
                            samples.description()));
}

}  // namespace

CompareResult compare(Runner& reference, Runner& candidate,
                      const SampleSource& samples,
                      const CompareOptions& options) {
  check_all(reference, candidate, samples, options);
  return finish(
      accumulate(reference, candidate, samples, options, 0, samples.batches()),
      options);
}

CompareShard compare_shard(Runner& reference, Runner& candidate,
                           const SampleSource& samples,
                           const CompareOptions& options, int64_t index,
                           int64_t count) {
  if (index < 1 || count < index || count > kMostShards)
    throw Error(ErrorKind::usage,
                fmt::format("shard {} of {} is none; 1 <= shard <= shards was "
                            "expected",
                            index, count));
  check_all(reference, candidate, samples, options);
  const int64_t all = samples.batches();
  if (all < count)
    throw Error(ErrorKind::usage,
                fmt::format("{} batches cannot be parted into {} shards; take "
                            "a smaller --batch, or fewer shards",
                            all, count));
  auto stats = std::make_shared<ComparisonStats>(
      accumulate(reference, candidate, samples, options,
                 all * (index - 1) / count, all * index / count));
  if (stats->partial)
    throw Error(ErrorKind::usage,
                "the shard was stopped, and half a shard is none");
  CompareShard shard;
  shard.index = index;
  shard.count = count;
  shard.stats = std::move(stats);
  shard.same["shards"] = fmt::format("{}", count);
  shard.same["samples"] =
      fmt::format("{} in {} batches", samples.samples(), all);
  return shard;
}

}  // namespace octavo
