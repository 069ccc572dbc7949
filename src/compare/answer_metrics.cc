// Accuracy, top-k and F1 from the answers that AnswerStats kept.
#include <map>
#include <memory>

#include "compare/answers.h"
#include "compare/records.h"

namespace octavo {
namespace {

ReadyMetric right_share(const MetricSpec& spec,
                        const Records<AnswerRecord>& records) {
  const int64_t k = spec.metric == Metric::top_k ? spec.k : 0;
  const auto right = [k](const AnswerRecord& r, int model) {
    return k > 0 ? r.rank[model] < k : r.answer[model] == r.label;
  };
  ReadyMetric ready{spec, records->size()};
  ready.value = [records, right](int model, Weights weights) {
    uint64_t hits = 0, all = 0;
    for (size_t i = 0; i < records->size(); ++i) {
      all += weights[i];
      if (right((*records)[i], model)) hits += weights[i];
    }
    return static_cast<double>(hits) / static_cast<double>(all);
  };
  ready.discordant.emplace();
  for (const AnswerRecord& r : *records) {
    ready.discordant->lost += right(r, 0) && !right(r, 1);
    ready.discordant->gained += !right(r, 0) && right(r, 1);
  }
  return ready;
}

// Samples by class, classes numbered without gaps.
struct ClassTable {
  struct Row {
    uint32_t label;
    uint32_t answer[2];
  };
  std::vector<Row> rows;
  size_t classes = 0;
};

std::shared_ptr<const ClassTable> class_table(
    const Records<AnswerRecord>& records) {
  auto table = std::make_shared<ClassTable>();
  std::map<int64_t, uint32_t> numbers;
  const auto number = [&](int64_t id) {
    return numbers.emplace(id, static_cast<uint32_t>(numbers.size()))
        .first->second;
  };
  for (const AnswerRecord& r : *records)
    table->rows.push_back(
        {number(r.label), {number(r.answer[0]), number(r.answer[1])}});
  table->classes = numbers.size();
  return table;
}

// F1 of a class is 2 TP / (labels + answers of it). The mean is over classes
// that occur among labels or answers.
double macro_f1(const ClassTable& table, int model, Weights weights) {
  std::vector<uint64_t> hits(table.classes), seen(table.classes);
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const ClassTable::Row& row = table.rows[i];
    seen[row.label] += weights[i];
    seen[row.answer[model]] += weights[i];
    if (row.label == row.answer[model]) hits[row.label] += weights[i];
  }
  double sum = 0;
  int64_t classes = 0;
  for (size_t c = 0; c < table.classes; ++c) {
    if (seen[c] == 0) continue;
    ++classes;
    sum += 2 * static_cast<double>(hits[c]) / static_cast<double>(seen[c]);
  }
  return sum / static_cast<double>(classes);
}

}  // namespace

std::vector<ReadyMetric> answer_metrics(const AnswerStats& stats,
                                        std::span<const MetricSpec> specs) {
  const auto records = sorted_records(stats.records);
  std::vector<ReadyMetric> out;
  for (const MetricSpec& spec : specs) {
    if (spec.metric == Metric::f1_macro) {
      const auto table = class_table(records);
      out.push_back({spec, records->size(), [table](int model, Weights w) {
                       return macro_f1(*table, model, w);
                     }});
    } else {
      // One answer a sample: micro-averaged F1 is accuracy.
      out.push_back(right_share(spec, records));
      if (spec.metric == Metric::f1_micro)
        out.back().note = "one answer a sample: equal to accuracy";
    }
  }
  return out;
}

}  // namespace octavo
