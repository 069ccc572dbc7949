// A search for the smallest, or the fastest, copy of a model that keeps the
// limits that a person set, on the person's samples. Its door: `tune`.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "octavo/compare.h"
#include "octavo/limits.h"
#include "octavo/plan.h"
#include "octavo/runtime.h"
#include "octavo/samples.h"

namespace octavo {

enum class Goal { size, latency };

// How one model's time compares with the original's: above 1 is faster.
struct SpeedRatio {
  double ratio = 0;
  double low = 0, high = 0;  // 95 %; both 0: too few runs for an interval
  double seconds = 0;        // median of one run
};

// A whole model that was written and measured.
struct TuneRow {
  std::string name;  // "original", "dynamic", "9 dynamic, 5 stored"
  uint64_t bytes = 0;
  double error = 0;  // relative L2, as of octavo/sensitivity.h
  std::optional<SpeedRatio> speed;
  std::vector<Check> checks;  // the limits, on the samples of the search
  bool within = false;        // all of them
  // Of a mixture: the strategy that some layers have, those that stayed in a
  // milder form, and of how many.
  std::string hard;
  std::vector<std::string> milder;
  int64_t layers = 0;
};

struct TuneResult {
  Goal goal = Goal::size;
  std::vector<TuneRow> rows;  // the original first, then as they were tried
  size_t chosen = 0;          // a row; 0: no copy could be made at all
  bool met = false;  // the chosen one keeps the limits, wherever it was asked
  Plan plan;         // of the chosen one
  Recipe recipe;     // that makes it, a wish a node
  // The chosen one on samples that the search never saw, its limits in
  // `checks`; empty: there were too few, or it was stopped before.
  std::optional<CompareResult> holdout;
  int64_t holdout_looks = 0;  // candidates that were shown them
  int64_t search_samples = 0, holdout_samples = 0;
  int64_t evaluations = 0;  // of mixtures and models
  int64_t recalled = 0;     // of them known from the state file
  int sessions = 0;
  double seconds = 0;
  bool out_of_time = false;  // the budget ended the search
  bool partial = false;      // the caller stopped it
  std::vector<std::string> notes;
};

struct TuneOptions {
  Recipe recipe;  // which nodes, and how they are quantized
  SessionOptions session;
  std::filesystem::path scratch;
  CompareOptions compare;  // labels and metrics; its tolerances do not count
  std::vector<Limit> limits;
  Goal goal = Goal::size;
  double budget_seconds = 600;  // the first model is measured in any case
  double timing_seconds = 0;    // of each model; 0: a fortieth of the budget
  // The share of the batches that the search does not see; fewer than 4
  // batches in all: none.
  double holdout = 0.3;
  uint64_t seed = 0;            // of the order of batches
  std::filesystem::path state;  // as of sensitivity.h
  std::function<void(const std::string& what, int64_t done, int64_t all)>
      progress;
  // Called for each model that is better than all before: write it.
  std::function<void(const Recipe&)> found;
  const std::atomic<bool>* stop = nullptr;
};

// Strategies from the mildest to the hardest; a hard one that breaks a limit
// is mixed with the best so far, layer by layer (docs/tune.md). Throws
// Error(usage) where there are no limits, or where nothing can be quantized.
TuneResult tune(const std::shared_ptr<Runtime>& runtime,
                const std::filesystem::path& model, const SampleSource& samples,
                const TuneOptions& options);

}  // namespace octavo
