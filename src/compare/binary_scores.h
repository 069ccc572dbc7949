// Scores of two classes against labels: the area under the ROC curve. Keeps
// six numbers a sample.
#pragma once

#include <span>
#include <vector>

#include "compare/labels.h"
#include "compare/metrics.h"
#include "compare/output_stats.h"
#include "octavo/value.h"

namespace octavo {

struct BinaryScoreRecord {
  int64_t sample = 0;
  bool positive = false;
  // Of the positive class, of reference and candidate: as it stands, and less
  // the other class's, by which logits must be ranked.
  double score[2] = {};
  double lead[2] = {};

  // Every field, for both ways between records and bytes.
  template <typename Io, typename R>
  static void fields(Io io, R& r) {
    io(r.sample), io(r.positive);
    io(r.score[0]), io(r.score[1]), io(r.lead[0]), io(r.lead[1]);
  }
};

struct BinaryScores {
  // Every row of two was one of probabilities: then `score` ranks, which
  // tells 1e-20 from 1e-30, else `lead`.
  bool probabilities = true;
  std::vector<BinaryScoreRecord> records;
};

// One batch of both models, of equal form: one or two scores a sample, or a
// ZipMap of two classes. Labels are 0 and 1, or -1 and 1, or a ZipMap's own
// classes, the second of which is positive. Throws Error(usage) for others.
void update(BinaryScores& stats, const Value& reference, const Value& candidate,
            const Labels& labels, const Place& place);
void merge(BinaryScores& stats, const BinaryScores& other);
// Undefined where one class has no sample, or a score is NaN.
ReadyMetric auc_metric(const BinaryScores& stats);
std::vector<std::byte> to_bytes(const BinaryScores& stats);
BinaryScores binary_scores_from_bytes(Bytes bytes);

}  // namespace octavo
