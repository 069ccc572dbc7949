// All that the labels of a run are good for: which metrics, of which output,
// and what each of them keeps. Doors: `Task` to fill while models run, the
// five functions of TaskStats after it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/answers.h"
#include "compare/binary_scores.h"
#include "compare/embeddings.h"
#include "compare/pairing.h"
#include "compare/token_losses.h"
#include "compare/value_errors.h"
#include "octavo/compare.h"

namespace octavo {

// Metrics that read outputs in one way and share statistics.
enum class MetricFamily { answers, values, scores, tokens, embeddings };
inline constexpr size_t kFamilies = 5;
MetricFamily family_of(Metric metric) noexcept;

struct TaskStats {
  std::vector<MetricSpec> specs;   // empty: nothing seen yet
  std::string outputs[kFamilies];  // the output that each family reads
  int64_t uncounted = 0;  // samples of batches whose outputs differ in form
  AnswerStats answers;
  ValueErrors values;
  BinaryScores scores;
  TokenLosses tokens;
  Embeddings embeddings;
};

struct TaskSummary {
  std::optional<AnswerSummary> answers;
  std::vector<MetricSummary> metrics;  // in the order asked for
};

void merge(TaskStats& stats, const TaskStats& other);
TaskSummary finish(const TaskStats& stats, uint64_t seed);
std::vector<std::byte> to_bytes(const TaskStats& stats);
TaskStats task_stats_from_bytes(Bytes bytes);

// Feeds batches to the statistics. Keeps references to both arguments.
class Task {
 public:
  // Throws Error(usage) for labels that are none, and for a label output that
  // the copy does not have.
  Task(const CompareOptions& options, const std::vector<OutputPair>& pairs);

  // Adds a batch; without labels nothing happens. Throws Error(usage) where
  // no output, or not the one named, fits the labels and metrics.
  void update(TaskStats& stats, const std::vector<Value>& reference,
              const std::vector<Value>& candidate, Place place) const;

 private:
  std::vector<MetricSpec> choose(const std::vector<Value>& reference,
                                 const Place& place) const;
  size_t pair_for(MetricFamily family, const std::vector<Value>& reference,
                  const Place& place) const;

  const CompareOptions& options_;
  const std::vector<OutputPair>& pairs_;
  std::optional<Labels> labels_;
  std::optional<size_t> named_;  // the pair of --label-output
};

}  // namespace octavo
