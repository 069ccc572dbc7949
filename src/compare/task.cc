// Which output the labels speak of, which metrics fit, and a batch of both
// models handed to the statistics.
#include <fmt/format.h>

#include <algorithm>

#include "compare/score_rows.h"
#include "compare/task_stats.h"
#include "octavo/error.h"

namespace octavo {
namespace {

// Values that can be set side by side: the same kinds, types and shapes.
bool same_form(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.items.size() != b.items.size()) return false;
  if (a.tensor.type != b.tensor.type || a.tensor.shape != b.tensor.shape)
    return false;
  for (size_t i = 0; i < a.items.size(); ++i)
    if (!same_form(a.items[i], b.items[i])) return false;
  return true;
}

bool is_floating(const Value& v, size_t least_rank) {
  return v.kind == ValueKind::tensor && is_float(v.tensor.type) &&
         v.tensor.shape.size() >= least_rank;
}

bool is_zip_map(const Value& v, const Place& place) {
  return v.kind != ValueKind::tensor && score_rows(v, place).has_value();
}

// How well an output suits a family, without looking at its values: 0 not at
// all, 1 for want of a better one, 2 well.
int suits(MetricFamily family, const Value& v, const Place& place) {
  switch (family) {
    case MetricFamily::answers:
      if (is_floating(v, 2) || is_zip_map(v, place)) return 2;
      return class_column(v, place) ? 1 : 0;
    case MetricFamily::scores:
      return is_floating(v, 0) || is_zip_map(v, place) ? 2 : 0;
    case MetricFamily::values:
      return is_floating(v, 0) ? 2 : 0;
    case MetricFamily::tokens:
    case MetricFamily::embeddings:
      return is_floating(v, 2) ? 2 : 0;
  }
  return 0;
}

}  // namespace

Task::Task(const CompareOptions& options, const std::vector<OutputPair>& pairs)
    : options_(options), pairs_(pairs) {
  if (!options.labels) return;
  labels_.emplace(*options.labels);
  if (options.label_output.empty()) return;
  for (size_t i = 0; i < pairs_.size(); ++i)
    if (pairs_[i].name == options.label_output) named_ = i;
  if (!named_)
    throw Error(ErrorKind::usage,
                fmt::format("the copy has no output '{}', which the labels "
                            "speak of",
                            options.label_output));
}

size_t Task::pair_for(MetricFamily family, const std::vector<Value>& reference,
                      const Place& place) const {
  if (named_) return *named_;
  for (const int wanted : {2, 1})
    for (size_t i = 0; i < pairs_.size(); ++i)
      if (suits(family, reference[pairs_[i].reference], place) == wanted)
        return i;
  throw Error(ErrorKind::usage,
              "labels were given, but no output that both models share is "
              "what they can speak of: scores, floating with two or more "
              "dimensions such as [N,C], or classes; leave the labels out");
}

std::vector<MetricSpec> Task::choose(const std::vector<Value>& reference,
                                     const Place& place) const {
  if (!options_.metrics.empty()) return options_.metrics;
  const std::vector<MetricSpec> errors = {{Metric::mae}, {Metric::rmse}};
  if (!labels_->text() && !labels_->whole()) return errors;
  if (is_float(options_.labels->type)) {
    // Whole numbers stored as floats: classes only where there are classes.
    const OutputPair& pair =
        pairs_[pair_for(MetricFamily::values, reference, place)];
    const auto rows = score_rows(reference[pair.reference], place);
    if (rows && rows->width == labels_->width()) return errors;
  }
  return {{Metric::accuracy}};
}

void Task::update(TaskStats& stats, const std::vector<Value>& reference,
                  const std::vector<Value>& candidate, Place place) const {
  if (!labels_) return;
  if (place.first < 0 || place.count < 0 ||
      place.first + place.count > labels_->samples())
    throw Error(ErrorKind::usage,
                fmt::format("batch {} holds the samples {} to {}, but there "
                            "are {} labels",
                            place.batch, place.first,
                            place.first + place.count - 1, labels_->samples()));
  if (stats.specs.empty()) stats.specs = choose(reference, place);

  bool seen[kFamilies] = {};
  bool uncounted = false;
  for (const MetricSpec& spec : stats.specs) {
    const MetricFamily family = family_of(spec.metric);
    const auto at = static_cast<size_t>(family);
    if (seen[at]) continue;
    seen[at] = true;
    if (labels_->width() != 1 && family != MetricFamily::values &&
        family != MetricFamily::tokens)
      throw Error(
          ErrorKind::usage,
          fmt::format("the labels are {} {}, but {} needs one for each "
                      "sample, [N]",
                      dtype_name(options_.labels->type),
                      shape_text(options_.labels->shape), metric_name(spec)));
    std::string& output = stats.outputs[at];
    if (output.empty())
      output = pairs_[pair_for(family, reference, place)].name;
    const auto pair =
        std::find_if(pairs_.begin(), pairs_.end(),
                     [&](const OutputPair& p) { return p.name == output; });
    const Value& r = reference[pair->reference];
    const Value& c = candidate[pair->candidate];
    place.path = output;
    if (!same_form(r, c)) {
      uncounted = true;
      continue;
    }
    switch (family) {
      case MetricFamily::answers:
        octavo::update(stats.answers, r, c, *labels_, place);
        break;
      case MetricFamily::values:
        octavo::update(stats.values, r, c, *labels_, place);
        break;
      case MetricFamily::scores:
        octavo::update(stats.scores, r, c, *labels_, place);
        break;
      case MetricFamily::tokens:
        octavo::update(stats.tokens, r, c, *labels_, place);
        break;
      case MetricFamily::embeddings:
        octavo::update(stats.embeddings, r, c, *labels_, place);
        break;
    }
  }
  if (uncounted) stats.uncounted += place.count;
  for (const MetricSpec& spec : stats.specs)
    if (spec.metric == Metric::top_k && !stats.answers.scored)
      throw Error(ErrorKind::usage,
                  fmt::format("{} needs scores, but {} gives classes; name "
                              "another output with --label-output",
                              metric_name(spec), stats.outputs[0]));
}

}  // namespace octavo
