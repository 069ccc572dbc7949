#include "compare/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/names.h"
#include "compare/score_rows.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr size_t kFlipsListed = 10;

[[noreturn]] void no_rows(const Value& value, const Place& place) {
  throw Error(
      ErrorKind::usage,
      fmt::format("labels need one row of scores for each sample, a floating "
                  "output such as [N,C], but {} is {} for {} sample(s); name "
                  "another output with --label-output, or another metric, such "
                  "as auc or mae, with --metric",
                  place.path, value_text(value), place.count));
}

[[noreturn]] void no_class(const Labels& labels, int64_t sample,
                           const Place& place, const std::string& classes) {
  throw Error(ErrorKind::usage,
              fmt::format("the label of sample {} is {}{}{}, but {} has the "
                          "classes {}; check --labels and --label-output",
                          sample, labels.text() ? "'" : "", labels.name(sample),
                          labels.text() ? "'" : "", place.path, classes));
}

// One row of scores a sample: the leading axis, and one other of more than 1.
bool is_table(const ScoreRows& rows, const Place& place) {
  if (rows.width < 2) return false;
  if (rows.shape.empty()) return rows.names.size() + rows.keys.size() > 0;
  int64_t wide_axes = 0;
  for (size_t axis = 1; axis < rows.shape.size(); ++axis)
    wide_axes += rows.shape[axis] != 1;
  return rows.shape[0] == place.count && wide_axes == 1;
}

int64_t class_id(AnswerSummary& s, const std::string& name) {
  const auto found = std::find(s.names.begin(), s.names.end(), name);
  if (found != s.names.end()) return found - s.names.begin();
  s.names.push_back(name);
  return std::ssize(s.names) - 1;
}

// The number of each column's class.
std::vector<int64_t> column_classes(AnswerSummary& s, const ScoreRows& rows) {
  if (!rows.keys.empty()) return rows.keys;
  std::vector<int64_t> classes;
  for (int64_t i = 0; i < rows.width; ++i)
    classes.push_back(rows.names.empty()
                          ? i
                          : class_id(s, rows.names[static_cast<size_t>(i)]));
  return classes;
}

// The column of a sample's label.
int64_t label_column(const Labels& labels, int64_t sample,
                     const ScoreRows& rows, const Place& place) {
  if (!rows.names.empty()) {
    const auto at =
        std::find(rows.names.begin(), rows.names.end(), labels.name(sample));
    if (at == rows.names.end())
      no_class(labels, sample, place, name_list(rows.names));
    return at - rows.names.begin();
  }
  if (labels.text())
    throw Error(ErrorKind::usage,
                fmt::format("the labels are names such as '{}', but {} gives "
                            "scores by number; give class numbers from 0 on",
                            labels.name(sample), place.path));
  if (!labels.whole())
    throw Error(ErrorKind::usage,
                fmt::format("the labels hold {}, which is no class number; "
                            "give whole numbers, or --metric mae for values",
                            labels.name(sample)));
  const int64_t label = labels.integer(sample);
  if (rows.keys.empty()) {
    if (label < 0 || label >= rows.width)
      no_class(labels, sample, place, fmt::format("0 to {}", rows.width - 1));
    return label;
  }
  const auto at = std::find(rows.keys.begin(), rows.keys.end(), label);
  if (at == rows.keys.end()) {
    std::vector<std::string> keys;
    for (const int64_t key : rows.keys) keys.push_back(fmt::format("{}", key));
    no_class(labels, sample, place, name_list(keys));
  }
  return at - rows.keys.begin();
}

uint16_t rank_of(std::span<const double> row, int64_t label) {
  const double own = row[static_cast<size_t>(label)];
  if (std::isnan(own)) return AnswerRecord::kNoRank;
  int64_t rank = 0;
  for (int64_t i = 0; i < std::ssize(row); ++i) {
    const double v = row[static_cast<size_t>(i)];
    rank += v > own || (v == own && i < label);
  }
  return static_cast<uint16_t>(
      std::min<int64_t>(rank, AnswerRecord::kNoRank - 1));
}

void add(AnswerStats& stats, const AnswerRecord& record, const Flip& gaps,
         bool by_tie) {
  AnswerSummary& s = stats.counts;
  const auto [r, c] = record.answer;
  const int64_t label = record.label;
  ++s.samples;
  s.reference_correct += r == label;
  s.candidate_correct += c == label;
  stats.records.push_back(record);
  if (r == c) return;
  ++s.flipped;
  s.flipped_to_wrong += r == label;
  s.flipped_to_right += c == label;
  s.flipped_by_tie += by_tie;
  if (s.first_flips.size() < kFlipsListed)
    s.first_flips.push_back(
        {record.sample, label, r, c, gaps.reference_gap, gaps.candidate_gap});
}

// True where `column` shares the best score of `row`.
bool is_best(std::span<const double> row, const Top& top, int64_t column) {
  return top.answer >= 0 && column >= 0 &&
         row[static_cast<size_t>(column)] ==
             row[static_cast<size_t>(top.answer)];
}

void update_scores(AnswerStats& stats, const ScoreRows& r, const ScoreRows& c,
                   const Labels& labels, const Place& place) {
  const std::vector<int64_t> classes = column_classes(stats.counts, r);
  const auto class_of = [&](int64_t column) {
    return column < 0 ? -1 : classes[static_cast<size_t>(column)];
  };
  for (int64_t i = 0; i < place.count; ++i) {
    const int64_t sample = place.first + i;
    const int64_t label = label_column(labels, sample, r, place);
    const auto r_row = r.row(i), c_row = c.row(i);
    const Top r_top = top_of(r_row), c_top = top_of(c_row);
    AnswerSummary& s = stats.counts;
    s.reference_ties += r_top.tie;
    s.candidate_ties += c_top.tie;
    s.reference_tied_wrong +=
        r_top.answer != label && is_best(r_row, r_top, label);
    s.candidate_tied_wrong +=
        c_top.answer != label && is_best(c_row, c_top, label);
    AnswerRecord record{sample,
                        class_of(label),
                        {class_of(r_top.answer), class_of(c_top.answer)},
                        {rank_of(r_row, label), rank_of(c_row, label)}};
    Flip gaps;
    gaps.reference_gap = r_top.gap;
    gaps.candidate_gap = c_top.gap;
    add(stats, record, gaps,
        is_best(r_row, r_top, c_top.answer) ||
            is_best(c_row, c_top, r_top.answer));
  }
}

void update_classes(AnswerStats& stats, const ClassColumn& r,
                    const ClassColumn& c, const Labels& labels,
                    const Place& place) {
  stats.scored = false;
  if (r.texts.empty() && !labels.whole())
    throw Error(ErrorKind::usage,
                fmt::format("{} gives classes by number, but the label of "
                            "sample {} is '{}'; give class numbers",
                            place.path, place.first, labels.name(place.first)));
  for (int64_t i = 0; i < place.count; ++i) {
    AnswerRecord record;
    record.sample = place.first + i;
    if (r.texts.empty()) {
      record.label = labels.integer(record.sample);
      record.answer[0] = r.numbers[static_cast<size_t>(i)];
      record.answer[1] = c.numbers[static_cast<size_t>(i)];
    } else {
      AnswerSummary& s = stats.counts;
      record.label = class_id(s, labels.name(record.sample));
      record.answer[0] = class_id(s, r.texts[static_cast<size_t>(i)]);
      record.answer[1] = class_id(s, c.texts[static_cast<size_t>(i)]);
    }
    add(stats, record, {}, false);
  }
}

}  // namespace

Top top_of(std::span<const double> scores) noexcept {
  Top top;
  double best = 0;
  double second = -std::numeric_limits<double>::infinity();
  int64_t numbers = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    const double v = scores[i];
    if (std::isnan(v)) continue;
    if (numbers++ == 0 || v > best) {
      if (numbers > 1) second = best;
      best = v;
      top.answer = static_cast<int64_t>(i);
      top.tie = false;
    } else {
      top.tie |= v == best;
      second = std::max(second, v);
    }
  }
  if (numbers > 0) top.gap = top.tie ? 0 : best - second;
  return top;
}

void update(AnswerStats& stats, const Value& r, const Value& c,
            const Labels& labels, const Place& place) {
  const auto r_rows = score_rows(r, place), c_rows = score_rows(c, place);
  if (r_rows && c_rows && is_table(*r_rows, place) &&
      is_table(*c_rows, place) && r_rows->width == c_rows->width &&
      r_rows->keys == c_rows->keys && r_rows->names == c_rows->names)
    return update_scores(stats, *r_rows, *c_rows, labels, place);
  const auto r_class = class_column(r, place), c_class = class_column(c, place);
  if (r_class && c_class)
    return update_classes(stats, *r_class, *c_class, labels, place);
  no_rows(r, place);
}

void merge(AnswerStats& stats, const AnswerStats& other) {
  AnswerSummary& s = stats.counts;
  const AnswerSummary& o = other.counts;
  if (s.output.empty()) s.output = o.output;
  stats.scored &= other.scored;
  s.samples += o.samples;
  s.reference_correct += o.reference_correct;
  s.candidate_correct += o.candidate_correct;
  s.flipped += o.flipped;
  s.flipped_to_wrong += o.flipped_to_wrong;
  s.flipped_to_right += o.flipped_to_right;
  s.reference_ties += o.reference_ties;
  s.candidate_ties += o.candidate_ties;
  s.reference_tied_wrong += o.reference_tied_wrong;
  s.candidate_tied_wrong += o.candidate_tied_wrong;
  s.flipped_by_tie += o.flipped_by_tie;
  s.uncounted += o.uncounted;
  // Named classes have the numbers of whoever met them first.
  std::vector<int64_t> numbers;
  for (const std::string& name : o.names) numbers.push_back(class_id(s, name));
  const auto ours = [&](int64_t theirs) {
    return theirs >= 0 && theirs < std::ssize(numbers)
               ? numbers[static_cast<size_t>(theirs)]
               : theirs;
  };
  for (AnswerRecord record : other.records) {
    record.label = ours(record.label);
    for (int64_t& answer : record.answer) answer = ours(answer);
    stats.records.push_back(record);
  }
  auto& flips = s.first_flips;
  for (Flip flip : o.first_flips) {
    flip.label = ours(flip.label);
    flip.reference_answer = ours(flip.reference_answer);
    flip.candidate_answer = ours(flip.candidate_answer);
    flips.push_back(flip);
  }
  std::stable_sort(
      flips.begin(), flips.end(),
      [](const Flip& a, const Flip& b) { return a.sample < b.sample; });
  if (flips.size() > kFlipsListed) flips.resize(kFlipsListed);
}

AnswerSummary finish(const AnswerStats& stats) { return stats.counts; }

}  // namespace octavo
