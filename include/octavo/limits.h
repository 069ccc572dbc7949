// Limits that a caller sets on what a comparison measured, and what they made
// of it. A limit is an expression, "logits.cosine >= 0.999"; names and their
// meaning: docs/compare.md. Doors: `measurements`, `parse_limit`, `judge`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "octavo/compare.h"

namespace octavo {

// Which way a measurement is worse, and what it may be no worse than a
// baseline by: a share of its distance from the best value.
enum class Scale {
  none,     // no way is worse, or no baseline makes sense
  zero,     // the best is 0: errors
  one,      // the best is 1: cosine, accuracy
  decibel,  // higher is better; a factor of the noise is an amount of dB
};

struct Measurement {
  std::string name;             // "logits.cosine", "accuracy.drop"
  std::optional<double> value;  // empty: undefined
  Scale scale = Scale::none;
  // Undefined because there is nothing that differs: within every limit.
  bool nothing_differs = false;
  // Outside every limit, for this reason; empty: none.
  std::string fault = {};
};

// All that `result` measured, outputs first.
std::vector<Measurement> measurements(const CompareResult& result);

enum class Relation { less, at_most, greater, at_least, equal };

struct Limit {
  std::string text;  // as given
  std::string name;  // of measurements: a name, a glob or /regex/
  Relation relation = Relation::at_most;
  double bound = 0;
  bool percent = false;  // given as "1%"; `bound` is 0.01
};

// Reads "NAME <= NUMBER" or "NAME <= NUMBER%"; also <, >=, > and ==. Throws
// Error(usage) for a text that is none.
Limit parse_limit(std::string_view text);

// Reads a TOML file: one list `require` of such expressions. Throws Error(io,
// format, usage).
std::vector<Limit> load_limits(const std::filesystem::path& path);

// Throws Error(usage) with the nearest names for a limit that nothing can
// match in a comparison of a model with these outputs, labels of these
// metrics (empty: any) or none, and these measurements of the caller's own.
void check_limits(const std::vector<Limit>& limits,
                  const std::vector<Port>& outputs, bool labels,
                  const std::vector<MetricSpec>& metrics,
                  const std::vector<std::string>& own);

// One check for each limit and measurement that it names; a limit that names
// none of them fails.
std::vector<Check> judge(const std::vector<Limit>& limits,
                         const std::vector<Measurement>& measured);

// What an earlier comparison measured, to be no worse than.
struct Baseline {
  int64_t samples = 0;
  std::vector<std::pair<std::string, double>> values;
};

// "octavo.baseline/1", a JSON document; only what has a Scale is kept.
std::string baseline_text(const std::vector<Measurement>& measured,
                          int64_t samples);
// Throws Error(io, format) where the file is none.
Baseline load_baseline(const std::filesystem::path& path);

// One check for each value of the baseline: no further from its best value
// than it was, times 1 + `share`; decibels: no more than 10 log10(1 + share)
// fewer. Fails where it is not measured now. Throws Error(usage) where the
// number of samples is not the same, unless the run was stopped early.
std::vector<Check> judge(const Baseline& baseline, double share,
                         const std::vector<Measurement>& measured,
                         const CompareResult& result);

}  // namespace octavo
