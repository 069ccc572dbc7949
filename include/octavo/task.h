// What two models' answers are worth on a task whose right answers are known:
// metrics of both, their difference with a confidence interval, and the
// samples whose answer flipped. Plain data. Formulas: docs/compare.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace octavo {

enum class Metric {
  accuracy,
  top_k,
  f1_macro,
  f1_micro,
  auc,
  mae,
  rmse,
  r2,
  perplexity,
  cosine_retrieval,
};

struct MetricSpec {
  Metric metric = Metric::accuracy;
  int64_t k = 5;  // of top_k
  bool operator==(const MetricSpec&) const = default;
};

// "accuracy", "top-5", "f1-macro", "cosine-retrieval", ...
std::string metric_name(const MetricSpec& spec);

// The reverse; "top-k" is "top-5", "f1" is "f1-macro". Throws Error(usage)
// with the nearest names for a name that is none.
MetricSpec parse_metric(std::string_view name);

// False where a lower value is the better one: mae, rmse, perplexity.
bool higher_is_better(Metric metric) noexcept;

// True for shares of samples, which read as percent.
bool is_share(Metric metric) noexcept;

struct ConfidenceInterval {
  double low = 0;
  double high = 0;
};

struct MetricSummary {
  std::string name;  // metric_name
  std::string output;
  bool higher_is_better = true;
  bool share = false;
  int64_t samples = 0;
  // Empty: undefined, which `note` explains.
  std::optional<double> reference;
  std::optional<double> candidate;
  std::optional<double> difference;  // candidate - reference
  // 95 % of the difference, by a paired bootstrap over samples.
  std::optional<ConfidenceInterval> interval;
  // McNemar's exact two-sided p; of accuracy and top-k only.
  std::optional<double> p;
  // The smallest loss that a test on this many samples finds in 4 of 5 cases.
  std::optional<double> detectable;
  // Samples whose outputs differ in form; they are in no number above.
  int64_t uncounted = 0;
  std::string note;

  // How much worse the candidate is, whichever way is worse.
  std::optional<double> loss() const {
    if (!difference) return difference;
    return higher_is_better ? -*difference : *difference;
  }
};

// What a program of the user's own made of both models' outputs.
struct Figure {
  std::string name;
  // Of each model, or one number that speaks of both.
  std::optional<double> reference;
  std::optional<double> candidate;
  std::optional<double> value;
};

// A sample whose answer (top-1) is not the same in both models. Answers are
// classes: see AnswerSummary::names.
struct Flip {
  int64_t sample = 0;
  int64_t label = 0;
  int64_t reference_answer = 0;  // -1: all scores were NaN
  int64_t candidate_answer = 0;
  // Best score minus second best: how sure each model was. Empty: the output
  // gives no scores.
  std::optional<double> reference_gap;
  std::optional<double> candidate_gap;
};

struct AnswerSummary {
  std::string output;
  // Names of classes by number; empty: a class is its number.
  std::vector<std::string> names;
  int64_t samples = 0;
  int64_t reference_correct = 0;
  int64_t candidate_correct = 0;
  int64_t flipped = 0;
  int64_t flipped_to_wrong = 0;  // right before
  int64_t flipped_to_right = 0;  // wrong before
  // Samples whose best score occurs twice; the lowest index is the answer.
  int64_t reference_ties = 0;
  int64_t candidate_ties = 0;
  // Of them those that count as wrong although the label is one of the best.
  int64_t reference_tied_wrong = 0;
  int64_t candidate_tied_wrong = 0;
  // Flips where each model's best score occurs for a class that is a best one
  // of the other, too: a matter of which index comes first.
  int64_t flipped_by_tie = 0;
  std::vector<Flip> first_flips;  // at most 10, by sample index
  // Samples of batches in which this output could not be compared; they are
  // in no number above.
  int64_t uncounted = 0;

  double reference_accuracy() const { return share(reference_correct); }
  double candidate_accuracy() const { return share(candidate_correct); }
  // Reference minus candidate: positive is a loss. From the counts, so that
  // a loss of 1 in 200 is exactly 0.005 and no rounding error.
  double accuracy_drop() const {
    return share(reference_correct - candidate_correct);
  }
  double flipped_share() const { return share(flipped); }

 private:
  double share(int64_t n) const {
    return samples ? static_cast<double>(n) / static_cast<double>(samples) : 0;
  }
};

}  // namespace octavo
