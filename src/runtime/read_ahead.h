// Batches of a source in order, the next one read by a second thread while the
// caller works on the last one, where reading takes long enough for a thread
// to be worth its start. Holds one batch more than the caller does. Its door:
// ReadAhead::next.
#pragma once

#include <chrono>
#include <future>
#include <optional>

#include "octavo/samples.h"

namespace octavo {

class ReadAhead {
 public:
  using Duration = std::chrono::steady_clock::duration;

  // Of the batches from `begin` to before `end`. `source` must outlive it.
  // Reads ahead once reading a batch took `slow`.
  ReadAhead(const SampleSource& source, int64_t begin, int64_t end,
            Duration slow = std::chrono::milliseconds(1))
      : source_(source), next_(begin), end_(end), slow_(slow) {}

  // Empty behind the last one. Throws what the source throws for this batch.
  std::optional<Batch> next();

 private:
  struct Timed {
    Batch batch;
    Duration took;
  };
  static Timed read(const SampleSource& source, int64_t index);

  const SampleSource& source_;
  int64_t next_;
  int64_t end_;
  Duration slow_;
  std::future<Timed> ahead_;  // of batch next_; waits for it when destroyed
};

}  // namespace octavo
