// The calls that are timed: the batches that are held in memory, and each of
// them made ready for each model.
#pragma once

#include <span>
#include <vector>

#include "octavo/bench.h"

namespace octavo {

struct UsedBatches {
  std::vector<Feed> feeds;
  int64_t samples = 0;
  int64_t samples_per_call = 1;  // of the first
};

// The first `most` batches. Throws Error(usage) where there is none.
UsedBatches use_batches(const SampleSource& samples, int64_t most);

// By contender, then by batch; `used` must outlive them.
std::vector<std::vector<PreparedCall>> prepare_calls(
    std::span<Contender> contenders, const UsedBatches& used);

}  // namespace octavo
