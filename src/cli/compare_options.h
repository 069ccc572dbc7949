// The flags that every command shares that compares two models: labels and
// tolerances. Doors: `add_compare_options` and `compare_options`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/run_options.h"
#include "octavo/compare.h"
#include "octavo/runtime.h"
#include "report/compare_context.h"

namespace octavo::cli {

// As typed.
struct CompareFlags {
  std::string labels;  // FILE or FILE.npz:KEY
  std::string label_output;
  bool layers = false;
  bool no_probes = false;
  std::vector<std::string> map;    // A=B
  std::vector<std::string> match;  // [OUTPUT=]KIND[:LEAST]
  std::optional<double> atol, rtol;
  std::optional<int64_t> axis;
  std::string scores = "auto";
  std::vector<std::string> metrics;
  std::string metric_command;
  std::optional<double> max_abs;
  std::optional<double> min_cosine;
  std::optional<double> max_drop;
  std::optional<double> max_flips;
};

// Labels and metrics alone, tolerances alone, and all.
void add_label_options(CLI::App& app, CompareFlags& flags);
void add_tolerance_options(CLI::App& app, CompareFlags& flags);
void add_compare_options(CLI::App& app, CompareFlags& flags);

// Reads the labels. Throws Error(usage) for files that are no labels
// and for tolerances that make no sense.
CompareOptions compare_options(const CompareFlags& flags);

// 0 within or no verdict, 1 outside, 130 stopped before all was done.
int exit_code(const CompareResult& result, bool stopped);

// What a report says about the runtime; the models are the caller's to name.
CompareContext compare_context(const Runtime& runtime, const RunOptions& run);

}  // namespace octavo::cli
