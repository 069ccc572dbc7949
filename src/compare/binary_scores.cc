#include "compare/binary_scores.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "base/names.h"
#include "compare/records.h"
#include "compare/score_rows.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr uint32_t kTag = 0x3142434f;  // "OCB1"

void check(const std::optional<ScoreRows>& rows, const Value& value,
           const Place& place) {
  if (rows && (rows->width == 1 || rows->width == 2)) return;
  throw Error(ErrorKind::usage,
              fmt::format("auc needs one or two scores for each sample, [N], "
                          "[N,1] or [N,2], but {} is {} for {} sample(s); name "
                          "another output with --label-output",
                          place.path, value_text(value), place.count));
}

bool is_positive(const Labels& labels, int64_t sample, const ScoreRows& rows,
                 const Place& place) {
  std::vector<std::string> classes = rows.names;
  for (const int64_t key : rows.keys) classes.push_back(fmt::format("{}", key));
  const std::string name = labels.name(sample);
  if (classes.size() == 2 && (name == classes[0] || name == classes[1]))
    return name == classes[1];
  if (classes.empty()) {
    if (name == "1") return true;
    if (name == "0" || name == "-1") return false;
    classes = {"0", "1"};
  }
  throw Error(ErrorKind::usage,
              fmt::format("the label of sample {} is '{}', but {} has the "
                          "classes {}; auc needs labels of two classes",
                          sample, name, place.path, name_list(classes)));
}

bool are_probabilities(std::span<const double> row) {
  return row[0] >= 0 && row[1] >= 0 && std::abs(row[0] + row[1] - 1) < 1e-3;
}

// Positions in ascending order of score, and the scores.
struct Ranking {
  std::vector<size_t> order;
  std::vector<double> score;
};

Ranking ranking(const std::vector<BinaryScoreRecord>& records, int model,
                bool probabilities) {
  Ranking r;
  for (const BinaryScoreRecord& record : records)
    r.score.push_back(probabilities ? record.score[model] : record.lead[model]);
  r.order.resize(records.size());
  std::iota(r.order.begin(), r.order.end(), size_t{0});
  std::stable_sort(r.order.begin(), r.order.end(),
                   [&](size_t a, size_t b) { return r.score[a] < r.score[b]; });
  return r;
}

// P(score of a positive > score of a negative) + P(equal) / 2: Mann and
// Whitney's U over the number of pairs. One walk up the ranking.
double auc(const std::vector<BinaryScoreRecord>& records, const Ranking& r,
           Weights weights) {
  double pairs = 0, negatives = 0, positives = 0;
  for (size_t i = 0; i < r.order.size();) {
    double tied_negatives = 0, tied_positives = 0;
    const double score = r.score[r.order[i]];
    for (; i < r.order.size() && r.score[r.order[i]] == score; ++i) {
      const size_t at = r.order[i];
      (records[at].positive ? tied_positives : tied_negatives) += weights[at];
    }
    pairs += tied_positives * (negatives + tied_negatives / 2);
    negatives += tied_negatives;
    positives += tied_positives;
  }
  return pairs / (positives * negatives);  // 0 / 0 without one class
}

}  // namespace

void update(BinaryScores& stats, const Value& r, const Value& c,
            const Labels& labels, const Place& place) {
  const auto r_rows = score_rows(r, place), c_rows = score_rows(c, place);
  check(r_rows, r, place);
  check(c_rows, c, place);
  for (int64_t i = 0; i < place.count; ++i) {
    BinaryScoreRecord record;
    record.sample = place.first + i;
    record.positive = is_positive(labels, record.sample, *r_rows, place);
    for (int model = 0; model < 2; ++model) {
      const auto row = (model == 0 ? r_rows : c_rows)->row(i);
      record.score[model] = row.back();
      record.lead[model] = row.size() == 2 ? row[1] - row[0] : row[0];
      if (row.size() == 2) stats.probabilities &= are_probabilities(row);
    }
    stats.records.push_back(record);
  }
}

void merge(BinaryScores& stats, const BinaryScores& other) {
  stats.probabilities &= other.probabilities;
  append_records(stats.records, other.records);
}

ReadyMetric auc_metric(const BinaryScores& stats) {
  const auto records = sorted_records(stats.records);
  ReadyMetric ready{{Metric::auc}, records->size()};
  int64_t broken = 0;
  for (const BinaryScoreRecord& r : *records)
    broken += std::isnan(r.lead[0]) || std::isnan(r.lead[1]);
  if (broken > 0) {
    ready.note = fmt::format("the scores of {} sample(s) are NaN", broken);
    ready.value = [](int, Weights) { return std::nan(""); };
    return ready;
  }
  const auto ranks = std::make_shared<const std::vector<Ranking>>(
      std::vector{ranking(*records, 0, stats.probabilities),
                  ranking(*records, 1, stats.probabilities)});
  ready.value = [records, ranks](int model, Weights weights) {
    return auc(*records, (*ranks)[static_cast<size_t>(model)], weights);
  };
  return ready;
}

std::vector<std::byte> to_bytes(const BinaryScores& stats) {
  Packer out;
  out.put(kTag);
  out.put(stats.probabilities);
  put_records(out, stats.records);
  return out.take();
}

BinaryScores binary_scores_from_bytes(Bytes bytes) {
  Unpacker in(bytes);
  if (in.get<uint32_t>() != kTag) Unpacker::broken();
  BinaryScores stats;
  in.get(stats.probabilities);
  get_records(in, stats.records);
  if (!in.done()) Unpacker::broken();
  return stats;
}

}  // namespace octavo
