// Some batches of a source, in an order of their own, with the labels that go
// with them. Doors: Subset and `labels_of`.
#pragma once

#include <memory>
#include <vector>

#include "octavo/compare.h"
#include "octavo/samples.h"

namespace octavo {

// Samples are numbered anew, from 0. `source` must outlive it.
class Subset : public SampleSource {
 public:
  Subset(const SampleSource& source, std::vector<int64_t> batches);

  int64_t batches() const override { return std::ssize(batches_); }
  int64_t samples() const override { return first_.back(); }
  Batch batch(int64_t index) const override;
  bool synthetic() const override { return source_.synthetic(); }
  std::string description() const override;

  // Rows of `labels` (one for each sample of the source) that go with this.
  Tensor labels(const Tensor& labels) const;

 private:
  const SampleSource& source_;
  std::vector<int64_t> batches_;
  std::vector<int64_t> first_;  // of each batch here, and the end
  std::vector<int64_t> rows_;   // of the source, by sample here
};

// `options` for a subset: its labels are those of the subset's samples.
CompareOptions options_for(const Subset& subset, CompareOptions options);

// 0 .. n-1 in an order drawn from `seed`.
std::vector<int64_t> shuffled(int64_t n, uint64_t seed);

}  // namespace octavo
