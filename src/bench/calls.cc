#include "bench/calls.h"

#include <algorithm>

#include "octavo/error.h"

namespace octavo {

UsedBatches use_batches(const SampleSource& samples, int64_t most) {
  UsedBatches out;
  for (int64_t b = 0; b < std::min(most, samples.batches()); ++b) {
    Batch batch = samples.batch(b);
    out.samples += batch.count;
    if (b == 0) out.samples_per_call = batch.count;
    out.feeds.push_back(std::move(batch.feed));
  }
  if (out.feeds.empty())
    throw Error(ErrorKind::usage,
                "there are no samples to run the models on; give at least "
                "one.");
  return out;
}

std::vector<std::vector<PreparedCall>> prepare_calls(
    std::span<Contender> contenders, const UsedBatches& used) {
  std::vector<std::vector<PreparedCall>> out;
  for (const Contender& c : contenders) {
    out.emplace_back();
    for (const Feed& feed : used.feeds)
      out.back().push_back(c.runner->prepare(feed));
  }
  return out;
}

}  // namespace octavo
