// Predicted values against right ones: MAE, RMSE, R2. Keeps eight numbers a
// sample, however many values it has.
#pragma once

#include <span>
#include <vector>

#include "compare/labels.h"
#include "compare/metrics.h"
#include "compare/output_stats.h"
#include "octavo/value.h"

namespace octavo {

struct ValueErrorRecord {
  int64_t sample = 0;
  int64_t count = 0;        // values of the sample
  double mean = 0;          // of the right values
  double deviations = 0;    // sum of squared distances from their mean
  double absolute[2] = {};  // sum of |error|, of reference and candidate
  double squares[2] = {};   // sum of error^2

  // Every field, for both ways between records and bytes.
  template <typename Io, typename R>
  static void fields(Io io, R& r) {
    io(r.sample), io(r.count), io(r.mean), io(r.deviations);
    io(r.absolute[0]), io(r.absolute[1]), io(r.squares[0]), io(r.squares[1]);
  }
};

struct ValueErrors {
  std::vector<ValueErrorRecord> records;
};

// One batch of both models, of equal form: as many values a sample as it has
// labels. Throws Error(usage) for other outputs and for text labels.
void update(ValueErrors& stats, const Value& reference, const Value& candidate,
            const Labels& labels, const Place& place);
void merge(ValueErrors& stats, const ValueErrors& other);
std::vector<ReadyMetric> value_metrics(const ValueErrors& stats,
                                       std::span<const MetricSpec> specs);
std::vector<std::byte> to_bytes(const ValueErrors& stats);
ValueErrors value_errors_from_bytes(Bytes bytes);

}  // namespace octavo
