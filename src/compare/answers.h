// Top-1 answers of both models against labels: accuracy, top-k, F1 and flips.
// Keeps five numbers a sample, never scores. Its door: `update` once a batch,
// then `finish` and `answer_metrics`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compare/labels.h"
#include "compare/metrics.h"
#include "compare/output_stats.h"
#include "octavo/task.h"
#include "octavo/value.h"

namespace octavo {

struct AnswerRecord {
  static constexpr uint16_t kNoRank = 65535;
  int64_t sample = 0;
  int64_t label = 0;
  int64_t answer[2] = {-1, -1};  // of the reference and of the candidate
  // Scores above the label's, or equal to it at a lower index.
  uint16_t rank[2] = {kNoRank, kNoRank};

  // Every field, for both ways between records and bytes.
  template <typename Io, typename R>
  static void fields(Io io, R& r) {
    io(r.sample), io(r.label), io(r.answer[0]), io(r.answer[1]);
    io(r.rank[0]), io(r.rank[1]);
  }
};

struct AnswerStats {
  AnswerSummary counts;  // complete but for its output's name
  bool scored = true;    // false: the output gives classes, no scores
  std::vector<AnswerRecord> records;
};

// One batch of both models, of equal form: rows of scores ([N,C], other axes
// of length 1 allowed, or a ZipMap), or the classes themselves. Throws
// Error(usage) for other outputs, and for a label that is no class.
void update(AnswerStats& stats, const Value& reference, const Value& candidate,
            const Labels& labels, const Place& place);

void merge(AnswerStats& stats, const AnswerStats& other);

AnswerSummary finish(const AnswerStats& stats);

// The metrics of `specs` that speak of answers, ready to be taken.
std::vector<ReadyMetric> answer_metrics(const AnswerStats& stats,
                                        std::span<const MetricSpec> specs);

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
