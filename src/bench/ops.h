// Where the time goes: both models profiled by the runtime in turns, their
// kernels summed by operator and by the original's nodes. Its door:
// `profile_ops`.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "octavo/bench.h"
#include "octavo/runtime.h"

namespace octavo {

struct OpsOptions {
  double budget_seconds = 5;  // of timed runs, opening left out
  uint64_t seed = 1;
  int64_t most_batches = 16;
  std::filesystem::path scratch;  // a folder for temporary files
  const std::atomic<bool>* stop = nullptr;
};

struct OperatorTime {
  std::string op;
  double original_ns = 0, copy_ns = 0;  // a run, all nodes
  int64_t original_nodes = 0, copy_nodes = 0;
};

// Nodes of the original that are one kernel in either model, and so can only
// be timed together.
struct LayerTime {
  std::string name;                // of the first node that could be quantized
  std::vector<std::string> nodes;  // all such nodes in it
  std::string before;              // operators of the original: "Conv, Relu"
  std::string after;               // kernels of the copy
  bool quantized = false;          // at least one of its nodes is, in the copy
  double original_ns = 0, copy_ns = 0;  // a run
  Outcome outcome = Outcome::too_few;   // of the copy's layer
  Interval interval_95;                 // of original / copy
  double share_of_gain = 0;  // of what all layers that gained gained, or of
                             // what all that lost lost, then negative
};

struct OpsResult {
  std::vector<OperatorTime> operators;  // most time first
  // Layers with a node that could be quantized first, those that change most
  // first; all others are one layer at the end, named "".
  std::vector<LayerTime> layers;
  double original_ns = 0, copy_ns = 0;  // of all kernels, a run
  double unpaired_ns = 0;               // of the copy's that serve no node
  size_t rounds = 0;
  int64_t runs = 0;  // counted, of each model
  // Quantized nodes of layers that surely lost, by at least kLeastLoss of the
  // original's time and a microsecond, which is what the profile can tell.
  std::vector<std::string> leave_float;
};

inline constexpr double kLeastLoss = 0.005;

// Throws what open_session and Runner::run throw, Error(io) for files in
// `scratch`, Error(runtime) where the runtime writes no profile.
OpsResult profile_ops(const std::shared_ptr<Runtime>& runtime,
                      const std::filesystem::path& original,
                      const std::filesystem::path& copy,
                      const SessionOptions& session,
                      const SampleSource& samples, const OpsOptions& options);

}  // namespace octavo
