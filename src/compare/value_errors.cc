#include "compare/value_errors.h"

#include <fmt/format.h>

#include <cmath>

#include "compare/records.h"
#include "compare/score_rows.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr uint32_t kTag = 0x3156434f;  // "OCV1"

void check(const std::optional<ScoreRows>& rows, const Value& value,
           const Labels& labels, const Place& place) {
  if (labels.text())
    throw Error(ErrorKind::usage,
                fmt::format("mae, rmse and r2 need numbers as labels, but the "
                            "label of sample {} is '{}'",
                            place.first, labels.name(place.first)));
  if (!rows || rows->width != labels.width())
    throw Error(ErrorKind::usage,
                fmt::format("mae, rmse and r2 need {} value(s) for each "
                            "sample, as many as labels, but {} is {} for {} "
                            "sample(s); name another output with "
                            "--label-output",
                            labels.width(), place.path, value_text(value),
                            place.count));
}

double total(const std::vector<ValueErrorRecord>& records, Weights weights,
             const double (ValueErrorRecord::*field)[2], int model) {
  double sum = 0;
  for (size_t i = 0; i < records.size(); ++i)
    sum += weights[i] * (records[i].*field)[model];
  return sum;
}

double count_of(const std::vector<ValueErrorRecord>& records, Weights weights) {
  double sum = 0;
  for (size_t i = 0; i < records.size(); ++i)
    sum += weights[i] * static_cast<double>(records[i].count);
  return sum;
}

// Squared distances of the right values from their own mean.
double total_deviations(const std::vector<ValueErrorRecord>& records,
                        Weights weights) {
  double mean = 0, sum = 0;
  for (size_t i = 0; i < records.size(); ++i)
    mean +=
        weights[i] * static_cast<double>(records[i].count) * records[i].mean;
  mean /= count_of(records, weights);
  for (size_t i = 0; i < records.size(); ++i) {
    const ValueErrorRecord& r = records[i];
    const double apart = r.mean - mean;
    sum += weights[i] *
           (r.deviations + static_cast<double>(r.count) * apart * apart);
  }
  return sum;
}

double value_of(const std::vector<ValueErrorRecord>& records, Metric metric,
                int model, Weights weights) {
  if (metric == Metric::mae)
    return total(records, weights, &ValueErrorRecord::absolute, model) /
           count_of(records, weights);
  const double squares =
      total(records, weights, &ValueErrorRecord::squares, model);
  if (metric == Metric::rmse)
    return std::sqrt(squares / count_of(records, weights));
  const double deviations = total_deviations(records, weights);
  return deviations > 0 ? 1 - squares / deviations : std::nan("");
}

}  // namespace

void update(ValueErrors& stats, const Value& r, const Value& c,
            const Labels& labels, const Place& place) {
  const auto r_rows = score_rows(r, place), c_rows = score_rows(c, place);
  check(r_rows, r, labels, place);
  check(c_rows, c, labels, place);
  const int64_t width = labels.width();
  for (int64_t i = 0; i < place.count; ++i) {
    ValueErrorRecord record;
    record.sample = place.first + i;
    record.count = width;
    for (int64_t k = 0; k < width; ++k)
      record.mean += labels.number(record.sample, k);
    record.mean /= static_cast<double>(width);
    for (int64_t k = 0; k < width; ++k) {
      const double right = labels.number(record.sample, k);
      const double apart = right - record.mean;
      record.deviations += apart * apart;
      for (int model = 0; model < 2; ++model) {
        const auto row = (model == 0 ? r_rows : c_rows)->row(i);
        const double error = row[static_cast<size_t>(k)] - right;
        record.absolute[model] += std::abs(error);
        record.squares[model] += error * error;
      }
    }
    stats.records.push_back(record);
  }
}

void merge(ValueErrors& stats, const ValueErrors& other) {
  append_records(stats.records, other.records);
}

std::vector<ReadyMetric> value_metrics(const ValueErrors& stats,
                                       std::span<const MetricSpec> specs) {
  const auto records = sorted_records(stats.records);
  int64_t broken = 0;
  for (const ValueErrorRecord& r : *records)
    broken += !std::isfinite(r.squares[0]) || !std::isfinite(r.squares[1]);
  std::vector<ReadyMetric> out;
  for (const MetricSpec& spec : specs) {
    out.push_back({spec, records->size(),
                   [records, metric = spec.metric](int model, Weights w) {
                     return value_of(*records, metric, model, w);
                   }});
    if (broken > 0)
      out.back().note = fmt::format(
          "NaN or infinity among the values of {} sample(s)", broken);
    else if (spec.metric == Metric::r2)
      out.back().note = "undefined where all right values are equal";
  }
  return out;
}

std::vector<std::byte> to_bytes(const ValueErrors& stats) {
  Packer out;
  out.put(kTag);
  put_records(out, stats.records);
  return out.take();
}

ValueErrors value_errors_from_bytes(Bytes bytes) {
  Unpacker in(bytes);
  if (in.get<uint32_t>() != kTag) Unpacker::broken();
  ValueErrors stats;
  get_records(in, stats.records);
  if (!in.done()) Unpacker::broken();
  return stats;
}

}  // namespace octavo
