// ONNX Runtime, loaded while the program runs, and models opened on it. Doors:
// `load_runtime`, then `open_session`, which gives a Runner.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "octavo/runner.h"

namespace octavo {

struct RuntimeOptions {
  // A library to load, or a folder that holds one (itself or in lib/); empty:
  // $OCTAVO_RUNTIME, then the one that the build fetched, then the system's
  // libonnxruntime.so.1. A library that is named and does not load is an
  // error, never a reason to look further.
  std::filesystem::path library;
  // Threads of the one pool that all sessions of this runtime share (so that
  // one model's spinning threads never slow another); 0: one a core. A library
  // keeps one pool a process: while one Runtime lives, a second one of the
  // same library gets the first's pool.
  int threads = 0;
  // Whether idle threads of the pool burn time waiting for work.
  bool spin = false;
};

struct RuntimeInfo {
  std::filesystem::path library;  // resolved path
  std::string found_by;           // "--runtime", "OCTAVO_RUNTIME", "build",
                                  // "system"
  std::string version;            // "1.30.0"
  int api_version = 0;            // the C API version in use
  int threads = 0;                // of the shared pool
  bool spin = false;              // as asked for
  std::string build;              // the runtime's own words on how it was built
  std::vector<std::string> providers;  // "CPUExecutionProvider", ...
};

enum class Optimization { disabled, basic, extended, all };

struct SessionOptions {
  // Names such as "XNNPACK" or "XnnpackExecutionProvider", the preferred one
  // first; empty: CPU. The CPU always stands behind them.
  std::vector<std::string> providers;
  Optimization optimization = Optimization::all;
  std::vector<std::filesystem::path> custom_ops;  // libraries of operators
  // Run on the caller's thread alone instead of the runtime's pool.
  bool single_thread = false;
  // Repacking weights at load: faster runs, slower and larger loads.
  bool prepack = true;
  // Where the runtime writes the graph that it really runs; empty: nowhere.
  std::filesystem::path optimized_model;
  // Where the runtime writes, as the Runner goes, how long each node took: a
  // file of JSON named this, "_" and the time; empty: nowhere. Slows runs.
  std::filesystem::path profile;
  // Where a model in memory has its external data; empty: the working folder.
  // Needs ONNX Runtime 1.18 or later.
  std::filesystem::path external_data_folder;
};

// A loaded runtime; sessions keep it alive.
class Runtime;

// Loads ONNX Runtime. Throws Error(runtime) where none is found, where it does
// not load, and where it is older than 1.16.
std::shared_ptr<Runtime> load_runtime(const RuntimeOptions& = {});

// The result lives as long as the runtime.
const RuntimeInfo& runtime_info(const Runtime&);

// Opens a model from a file, or from memory (the bytes are read before this
// returns). The Runner may be used from several threads at once. Throws
// Error(runtime) with the runtime's own words, Error(io) for a file that is
// not there.
std::unique_ptr<Runner> open_session(const std::shared_ptr<Runtime>&,
                                     const std::filesystem::path& model,
                                     const SessionOptions& = {});
std::unique_ptr<Runner> open_session(const std::shared_ptr<Runtime>&,
                                     Bytes model, const SessionOptions& = {});

}  // namespace octavo
