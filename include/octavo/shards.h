// A comparison in parts, on several machines or at several times: each part
// keeps statistics, and together they give what one run gives (sums up to the
// rounding of their order, all else exactly). Doors: `compare_shard`,
// `to_bytes`, `shard_from_bytes`, `merge_shards`.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "octavo/compare.h"

namespace octavo {

struct ComparisonStats;

inline constexpr int64_t kMostShards = 1'000'000;

struct CompareShard {
  int64_t index = 1;  // from 1 to `count`
  int64_t count = 1;
  // What must be the same in all shards, by name: "original", "samples", ...
  std::map<std::string, std::string> same;
  // What reports show, of the first shard: paths, the runtime, ...
  std::map<std::string, std::string> shown;
  std::shared_ptr<const ComparisonStats> stats;
};

// Compares on the batches of one shard: of B batches, shard i of n has those
// from B (i - 1) / n on, rounded down, to before B i / n. Samples keep their
// numbers, and labels are those of all samples. `same` and `shown` are the
// caller's to add to. Throws as `compare` does, Error(usage) for a shard that
// is none, and where it was stopped: half a shard is none.
CompareShard compare_shard(Runner& reference, Runner& candidate,
                           const SampleSource& samples,
                           const CompareOptions& options, int64_t index,
                           int64_t count);

// For a file. from_bytes throws Error(format) for bytes that are none of
// these, whatever they are.
std::vector<std::byte> to_bytes(const CompareShard& shard);
CompareShard shard_from_bytes(Bytes bytes);

// Of all shards, in any order. Throws Error(usage) where one is missing or
// there twice, or where they are of different comparisons, saying which.
// Of `options`, seed and tolerances count.
CompareResult merge_shards(std::vector<CompareShard> shards,
                           const CompareOptions& options = {});

}  // namespace octavo
