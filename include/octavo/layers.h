// Where in a model the error comes from: each quantized layer's value held
// against the original's. Its door: `compare_layers`.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "octavo/compare.h"
#include "octavo/runtime.h"
#include "octavo/samples.h"

namespace octavo {

struct LayerError {
  std::string node;           // of the original; may be empty
  std::string before, after;  // operators, or forms of quantization
  std::string value;          // that the node makes
  // In the copy, where the layers before have their errors, too.
  OutputSummary cumulative;
  // The copy's layer on the original's own values: its error alone. Empty
  // where it cannot be run by itself.
  std::optional<OutputSummary> isolated;
};

struct LayersResult {
  std::vector<LayerError> layers;  // in the original's order
  int64_t samples = 0;
  bool partial = false;  // stopped before the last batch of the last layer
};

struct LayersOptions {
  SessionOptions session;
  // Where models with more outputs are written for the runtime to load; they
  // are removed at once.
  std::filesystem::path scratch;
  // Layers that are measured in one pass over the samples: as many values of
  // one batch, three times, are in memory.
  size_t layers_a_pass = 32;
  std::function<void(const CompareProgress&)> progress;
  const std::atomic<bool>* stop = nullptr;  // true: end after this batch
};

// Of the quantized nodes of the model's own graph; nodes in bodies are left
// out. The copy may come from any tool, where it keeps the names of values.
LayersResult compare_layers(const std::shared_ptr<Runtime>& runtime,
                            const std::filesystem::path& original,
                            const std::filesystem::path& copy,
                            const SampleSource& samples,
                            const LayersOptions& options);

}  // namespace octavo
