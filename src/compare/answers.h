// Top-1 answers of both models against labels: accuracies and flips. Its
// door: `update` once a batch, then `finish`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compare/output_stats.h"
#include "octavo/compare.h"

namespace octavo {

struct AnswerStats {
  AnswerSummary counts;  // complete but for its output's name
};

// Scores of both models for `place.count` samples, one row each, and their
// labels. Throws Error(usage) for a tensor that is not one row of scores a
// sample ([N,C], other axes of length 1 allowed), or a label that is no
// class index. Only for floating types.
void update(AnswerStats& stats, const TensorView& reference,
            const TensorView& candidate, std::span<const int64_t> labels,
            const Place& place);

void merge(AnswerStats& stats, const AnswerStats& other);

AnswerSummary finish(const AnswerStats& stats);

std::vector<std::byte> to_bytes(const AnswerStats& stats);
AnswerStats answer_stats_from_bytes(Bytes bytes);

// The best of a row of scores: the lowest index of the largest value that is
// not NaN; -1 where there is none.
struct Top {
  int64_t answer = -1;
  bool tie = false;  // the best score occurs again
  double gap = 0;    // best minus second best; infinity for a single score
};
Top top_of(std::span<const double> scores) noexcept;

}  // namespace octavo
