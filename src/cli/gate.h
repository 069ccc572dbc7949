// The flags that turn a comparison into a gate: limits, a baseline, and the
// reports for continuous integration. Doors: `add_gate_options` and Gate, made
// before anything is measured.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/report_file.h"
#include "octavo/limits.h"
#include "report/trial.h"

namespace octavo::cli {

// As typed.
struct GateFlags {
  std::vector<std::string> require;
  std::string tolerances;
  std::string baseline;
  std::string save_baseline;
  std::string no_worse_than;
  std::string junit;
  std::string markdown;
};

void add_gate_options(CLI::App& app, GateFlags& flags);

// What a comparison does not measure itself, where it is known.
struct OwnMeasurements {
  uint64_t original_bytes = 0;  // 0: not known
  uint64_t copy_bytes = 0;
  std::optional<double> speed_ratio;
};

class Gate {
 public:
  // Reads limits and baseline, makes the reports' files ready. Throws Error
  // for what cannot be read or written. `timed`: speed will be measured;
  // `probed`: the probes will be run.
  // `own_names`: of figures that only a metric command knows.
  Gate(const GateFlags& flags, bool timed, bool probed, bool own_names);

  // Throws Error(usage) for a limit on something that is not measured.
  void check(const Runner& original, const CompareOptions& options) const;

  // Adds a check for each limit to `result`, and saves the baseline.
  void judge(CompareResult& result, const OwnMeasurements& own);

  void write(const CompareResult& result, const CompareContext& context);
  void write(const TrialReport& report);

  // The text that stands in for the report on stdout; empty: --markdown is a
  // file, or was not given.
  const std::string& printed() const { return printed_; }

 private:
  void write(const CompareResult& result, const CompareContext& context,
             const std::string& suite, const std::string& markdown);

  std::vector<Limit> limits_;
  std::optional<Baseline> baseline_;
  double share_ = 0;  // --no-worse-than
  bool timed_;
  bool probed_;
  bool own_names_;
  bool print_markdown_;
  ReportFile save_, junit_, markdown_;
  std::string printed_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace octavo::cli
