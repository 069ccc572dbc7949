// Which layers a model can bear to have quantized, on a person's own samples
// and metrics: each layer alone, and all but each. Its door:
// `measure_sensitivity`.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "octavo/compare.h"
#include "octavo/plan.h"
#include "octavo/runtime.h"
#include "octavo/samples.h"

namespace octavo {

// What a mixture costs; greater is worse.
struct Cost {
  double value = 0;
  double standard_error = 0;  // 0: of all samples
  int64_t samples = 0;        // that it took
};

struct LayerSensitivity {
  Decision decision;      // what the plan makes of it
  bool switched = false;  // false: each of its two figures took a session
  // Where only this layer is quantized, and where all but this one are. Empty:
  // stopped before.
  std::optional<Cost> alone, without;
};

struct SensitivityResult {
  std::string by;           // what `alone`, `without` and `all` are
  std::optional<Cost> all;  // where every layer is quantized
  std::vector<LayerSensitivity> layers;  // in the plan's order
  int64_t samples = 0;                   // that there were
  int64_t evaluations = 0;               // of a mixture
  int64_t recalled = 0;                  // of them known from the state file
  int sessions = 0;                      // opened for them
  double seconds = 0;                    // that all of it took
  bool partial = false;                  // stopped before the last layer
};

struct SensitivityOptions {
  SessionOptions session;
  std::filesystem::path scratch;  // for models that are loaded and removed
  CompareOptions compare;         // labels and metrics
  // "error": the root mean square over outputs of relative L2 (of outputs that
  // have none, of the root of the share that differs); or the name of
  // a measurement, such as "accuracy.drop" or "logits.sqnr_db" (negated, so
  // that greater is worse).
  std::string by = "error";
  // A figure of "error" is taken from as many batches, at least 8 of a random
  // order, as make its standard error this share of it; 0: from all. Others
  // are always taken from all.
  double precision = 0.05;
  uint64_t seed = 0;  // of that order
  // What is known already and is kept there as it is measured; empty: none.
  std::filesystem::path state;
  bool switches = true;  // false: a session for every evaluation
  std::function<void(int64_t done, int64_t all)> progress;  // evaluations
  const std::atomic<bool>* stop = nullptr;
};

// Of the layers that quantizing by `recipe` would quantize. Throws
// Error(usage) where it would quantize none, and for a `by` that is measured
// nowhere.
SensitivityResult measure_sensitivity(const std::shared_ptr<Runtime>& runtime,
                                      const std::filesystem::path& model,
                                      const Recipe& recipe,
                                      const SampleSource& samples,
                                      const SensitivityOptions& options);

}  // namespace octavo
