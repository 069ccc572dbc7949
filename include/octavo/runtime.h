// ONNX Runtime, loaded while the program runs, and models opened on it.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "octavo/runner.h"

namespace octavo {

struct RuntimeOptions {
  // A library to load; empty: $OCTAVO_RUNTIME, then the one that the build
  // fetched, then the system's libonnxruntime.so.1.
  std::filesystem::path library;
  // Threads of the one pool that all sessions of this runtime share (so that
  // one model's spinning threads never slow another); 0: one a core.
  int threads = 0;
};

struct RuntimeInfo {
  std::filesystem::path library;  // resolved path
  std::string found_by;           // "--runtime", "OCTAVO_RUNTIME", ...
  std::string version;            // "1.30.0"
  int api_version = 0;            // the C API version in use
  std::vector<std::string> providers;
};

enum class Optimization { disabled, basic, extended, all };

struct SessionOptions {
  std::vector<std::string> providers;  // empty: CPU
  Optimization optimization = Optimization::all;
  std::vector<std::filesystem::path> custom_ops;
  // Repacking weights at load: faster runs, slower and larger loads.
  bool prepack = true;
  // Where the runtime writes the graph that it really runs; empty: nowhere.
  std::filesystem::path optimized_model;
};

// A loaded runtime; copies share it. Sessions keep it alive.
class Runtime;
std::shared_ptr<Runtime> load_runtime(const RuntimeOptions& = {});
const RuntimeInfo& runtime_info(const Runtime&);

// Opens a model from a file, or from memory (then external data is looked for
// in the working folder). Throws Error(runtime) with the runtime's own words.
std::unique_ptr<Runner> open_session(const std::shared_ptr<Runtime>&,
                                     const std::filesystem::path& model,
                                     const SessionOptions& = {});
std::unique_ptr<Runner> open_session(const std::shared_ptr<Runtime>&,
                                     Bytes model, const SessionOptions& = {});

}  // namespace octavo
