#include "runtime/read_ahead.h"

#include <utility>

namespace octavo {

ReadAhead::Timed ReadAhead::read(const SampleSource& source, int64_t index) {
  const auto begin = std::chrono::steady_clock::now();
  Timed out{source.batch(index), {}};
  out.took = std::chrono::steady_clock::now() - begin;
  return out;
}

std::optional<Batch> ReadAhead::next() {
  if (next_ >= end_) return std::nullopt;
  Timed now = ahead_.valid() ? ahead_.get() : read(source_, next_);
  if (++next_ < end_ && now.took >= slow_)
    ahead_ = std::async(std::launch::async, read, std::cref(source_), next_);
  return std::move(now.batch);
}

}  // namespace octavo
