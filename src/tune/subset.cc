#include "tune/subset.h"

#include <fmt/format.h>

#include <cstring>
#include <numeric>
#include <utility>

#include "base/random.h"

namespace octavo {

Subset::Subset(const SampleSource& source, std::vector<int64_t> batches)
    : source_(source), batches_(std::move(batches)) {
  first_.push_back(0);
  for (const int64_t b : batches_) {
    // Only its place and size are wanted; sources do not tell them otherwise.
    const Batch batch = source.batch(b);
    for (int64_t i = 0; i < batch.count; ++i) rows_.push_back(batch.first + i);
    first_.push_back(first_.back() + batch.count);
  }
}

Batch Subset::batch(int64_t index) const {
  const auto i = static_cast<size_t>(index);
  Batch out = source_.batch(batches_.at(i));
  out.first = first_[i];
  return out;
}

std::string Subset::description() const {
  return fmt::format("{} of {}", samples(), source_.description());
}

Tensor Subset::labels(const Tensor& labels) const {
  Tensor out;
  out.type = labels.type;
  out.shape = labels.shape;
  out.shape.at(0) = samples();
  const int64_t all = labels.shape.at(0);
  if (labels.type == DType::string) {
    const size_t width = labels.strings.size() / static_cast<size_t>(all);
    for (const int64_t row : rows_)
      for (size_t i = 0; i < width; ++i)
        out.strings.push_back(
            labels.strings.at(static_cast<size_t>(row) * width + i));
    return out;
  }
  const size_t width = labels.bytes.size() / static_cast<size_t>(all);
  out.bytes.resize(width * rows_.size());
  for (size_t i = 0; i < rows_.size(); ++i)
    std::memcpy(out.bytes.data() + i * width,
                labels.bytes.data() + static_cast<size_t>(rows_[i]) * width,
                width);
  return out;
}

CompareOptions options_for(const Subset& subset, CompareOptions options) {
  if (options.labels) options.labels = subset.labels(*options.labels);
  return options;
}

std::vector<int64_t> shuffled(int64_t n, uint64_t seed) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  Random random(seed);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

}  // namespace octavo
