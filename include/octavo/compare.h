// Two models on the same samples: what differs, where, and how much. Streams:
// memory does not grow with the number of samples. It measures, and judges
// only against tolerances that the caller gave. Formulas: docs/compare.md.
// Its door: `compare`.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "octavo/probes.h"
#include "octavo/runner.h"
#include "octavo/samples.h"
#include "octavo/task.h"

namespace octavo {

// One value of any element type, exactly.
using Scalar = std::variant<double, int64_t, uint64_t, std::string>;

// How the elements of an output are compared.
enum class Measure {
  none,     // nothing was compared
  numeric,  // floats of all widths, complex parts: every measure
  integer,  // integers: mismatches and the largest difference, exactly
  exact,    // bool and string: mismatches only
};

// The element with the largest difference (Measure::exact: the first one that
// differs); ties: the earliest batch, then the lowest index.
struct WorstElement {
  std::string path;     // "logits", "output[3].values"
  int64_t batch = -1;   // index of the batch
  int64_t sample = -1;  // index of the sample; -1: not known from the shape
  Shape index;          // within the batch's tensor
  Scalar reference;
  Scalar candidate;
};

// Pairs of which at least one value is NaN or infinite. They are in no sum.
struct NonFinite {
  int64_t reference_nan = 0;
  int64_t reference_inf = 0;
  int64_t candidate_nan = 0;
  int64_t candidate_inf = 0;
  int64_t matching = 0;     // NaN and NaN, or infinities of one sign
  int64_t mismatching = 0;  // all other such pairs, the next line included
  int64_t nan_became_finite = 0;  // reference NaN, candidate finite
};

// One sample of an output; undefined measures are empty.
struct SampleDifference {
  int64_t sample = 0;
  double max_abs = 0;
  double rmse = 0;
  std::optional<double> relative_l2;
  std::optional<double> cosine;
};

// How the differences of a floating output are spread, over finite pairs.
// Quantiles of |r - c| are within 1/32 of the true ones, of float32's normal
// range. Relative: |r - c| / max(|r|, 1e-6).
struct SpreadSummary {
  std::optional<double> p50, p90, p99, p999;
  std::optional<double> max_relative, mean_relative;
  std::optional<double> pearson;  // empty: a side is constant
  struct Bin {
    double below = 0;  // a power of two, and at least half of it; 0: equal
    int64_t pairs = 0;
  };
  std::vector<Bin> histogram;  // without empty bins
  // Where samples can be told from the shape: the largest max_abs first.
  std::vector<SampleDifference> worst;
};

// What scores along an output's last axis mean.
enum class Scores {
  automatic,  // logits where the output's name says so; probabilities where
              // all rows of both models are: no less than 0, sum 1 +- 0.001
  logits,
  probabilities,
  none,
};

// Further looks at floating outputs, where they are asked for.
struct OutputViews {
  // Elements with |r - c| > atol + rtol |r| are outside (numpy's allclose).
  std::optional<double> atol, rtol;
  std::optional<int64_t> axis;  // of channels; negative: from the last one
  Scores scores = Scores::automatic;
};

struct ChannelDifference {
  int64_t channel = 0;
  double max_abs = 0;
  double rmse = 0;
  std::optional<double> relative_l2;  // empty: the original is all zeros
};

// How far two distributions, or two rankings, agree; over rows of the last
// axis without NaN and infinity.
struct ScoreAgreement {
  bool logits = false;
  int64_t rows = 0;
  // Mean over rows of sum p log(p / q) in nats, p the original's. Infinite
  // where the copy gives 0 to what the original does not.
  double kl = 0;
  double top1 = 0;             // share of rows with one and the same best
  std::optional<double> top5;  // the original's best is among the copy's five
                               // best; of 6 classes and more
};

// An output that is a set of items, such as detections, whose number and order
// may differ between the models.
enum class MatchKind {
  iou,     // boxes [x1, y1, x2, y2], by intersection over union
  cosine,  // vectors, by cosine
};
struct MatchSpec {
  std::string output;  // the original's name; empty: outputs that suit
  MatchKind kind = MatchKind::iou;
  double least = 0.5;  // items that are less alike do not pair
};
struct MatchSummary {
  MatchSpec spec;
  int64_t sets = 0;  // compared: one for each leading index
  int64_t reference = 0, candidate = 0, matched = 0;  // items
  std::optional<double> recall;                       // matched / reference
  std::optional<double> precision;                    // matched / candidate
  std::optional<double> mean, worst;  // likeness of matched pairs
  int64_t failed_batches = 0;
  int64_t first_failed_batch = -1;
  std::string failure;
};

struct OutputSummary {
  std::string name;  // an output, or a part of one: "output[3].values"
  DType type = DType::undefined;
  Measure measure = Measure::none;
  Shape last_shape;  // of the last compared batch

  int64_t batches = 0;   // compared
  int64_t elements = 0;  // compared, pairs with NaN or infinity included
  int64_t equal = 0;     // of them equal (0 and -0 are, NaN and NaN are)
  NonFinite non_finite;

  // Largest difference; Measure::numeric as double, integer as uint64.
  std::optional<Scalar> max_abs;
  std::optional<WorstElement> worst;  // empty: no finite pair differs
  // The first pair of NaN or infinity that does not match.
  std::optional<WorstElement> first_non_finite;

  // Measure::numeric over finite pairs; empty: undefined (no pairs, or a
  // denominator of zero), which `notes` explains. Infinity is meant.
  std::optional<double> mean_abs;
  std::optional<double> rmse;
  std::optional<double> cosine;
  std::optional<double> relative_l2;
  std::optional<double> sqnr_db;
  SpreadSummary spread;
  std::optional<double> outside;  // share of pairs; NaN that match are inside
  std::vector<ChannelDifference> channels;  // the worst ten by RMSE
  int64_t channel_count = 0;
  std::optional<ScoreAgreement> scores;

  // Batches that could not be compared; they are in no number above.
  int64_t failed_batches = 0;
  int64_t first_failed_batch = -1;
  std::string failure;  // a sentence about the first one; empty: none failed

  std::vector<std::string> notes;
};

// One tolerance held against one measurement.
struct Check {
  std::string what;  // "max abs of logits", "accuracy.drop"
  double limit = 0;
  std::optional<double> measured;  // empty: undefined
  bool ok = false;
  std::string detail;  // a sentence where a number does not tell it all
  std::string relation = "<=";  // of `measured` to `limit`
  bool percent = false;         // both are shares that were given in percent
};

enum class Verdict { none, within, outside };

// Limits that a caller may give; none by default, for none is universal.
struct Tolerances {
  std::optional<double> max_abs;     // of every output
  std::optional<double> min_cosine;  // of every floating output
  std::optional<double> max_drop;    // of accuracy, in percentage points
  std::optional<double> max_flips;   // in percent of the samples
};

struct CompareProgress {
  int64_t batches_done = 0;
  int64_t batches = 0;
  int64_t samples_done = 0;
  int64_t samples = 0;
};

struct CompareOptions {
  // Right answers, the leading axis counts samples: class numbers or names,
  // values, tokens.
  std::optional<Tensor> labels;
  // What to make of them. Empty: accuracy, or mae and rmse for labels that
  // are no whole numbers.
  std::vector<MetricSpec> metrics;
  // The output that the labels speak of; empty: the first one that the metric
  // can read.
  std::string label_output;
  uint64_t seed = 0;  // of the bootstrap
  OutputViews views;
  // Outputs that belong together: the original's name and the copy's. Others
  // pair by name, and where names differ by position.
  std::vector<std::pair<std::string, std::string>> map;
  std::vector<MatchSpec> matches;  // outputs to be compared as sets
  Tolerances tolerances;
  std::function<void(const CompareProgress&)> progress;  // after every batch
  const std::atomic<bool>* stop = nullptr;  // true: end after this batch
  // Sees what both models gave on every batch; outputs in each one's order.
  std::function<void(const std::vector<Value>& reference,
                     const std::vector<Value>& candidate)>
      observe;
};

struct CompareResult {
  std::vector<OutputSummary> outputs;       // in the reference's order
  std::vector<MatchSummary> matches;        // of outputs that are sets
  std::vector<std::string> only_reference;  // outputs without a partner
  std::vector<std::string> only_candidate;
  std::optional<AnswerSummary> answers;  // where a metric asks for classes
  std::vector<MetricSummary> metrics;    // none without labels
  // What the caller made of the outputs that `observe` saw.
  std::vector<Figure> figures;
  std::vector<Probe> probes;  // what the caller ran of them
  std::vector<Check> checks;
  int64_t batches = 0;  // run
  int64_t samples = 0;
  bool synthetic = false;  // generated inputs
  bool partial = false;    // stopped before the last batch
  std::string samples_description;

  // True where every output of the reference has a partner and every batch
  // of it could be compared.
  bool comparable() const;
  // `none` without tolerances; `outside` also where not comparable().
  Verdict verdict() const;
};

// Runs both models on every batch. Throws Error(usage) for models that do not
// take the same inputs or share no output, for labels that do not fit; passes
// on what a runner throws with a sentence about which model failed.
CompareResult compare(Runner& reference, Runner& candidate,
                      const SampleSource& samples,
                      const CompareOptions& options = {});

}  // namespace octavo
