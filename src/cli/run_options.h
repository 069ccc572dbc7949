// The flags that every command that runs models shares: what to feed, and how
// the runtime is set up. Doors: `add_run_options`, and a function for each of
// the library's own option structs.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "octavo/runtime.h"
#include "octavo/samples.h"

namespace octavo::cli {

// As typed; nothing is checked but numbers.
struct RunOptions {
  std::vector<std::string> input;  // FILE or NAME=FILE
  std::string samples;
  int64_t batch = 1;
  int64_t random = 0;
  uint64_t seed = 0;
  std::vector<std::string> dim;    // NAME=VALUE
  std::vector<std::string> range;  // NAME=LO:HI
  std::string runtime;
  int threads = 0;
  std::vector<std::string> provider;
  std::string optimization = "all";
  std::vector<std::string> custom_ops;
};

// Adds the flags in two groups of the help, "Samples" and "Runtime".
void add_run_options(CLI::App& app, RunOptions& options);
// Only the second group.
void add_runtime_options(CLI::App& app, RunOptions& options);

// The flags that give these options, word by word.
std::vector<std::string> run_flags(const RunOptions& options);

// Throw Error(usage) for a text such as "--dim batch" that is no pair.
SampleSpec sample_spec(const RunOptions& options);
RuntimeOptions runtime_options(const RunOptions& options);
SessionOptions session_options(const RunOptions& options);

}  // namespace octavo::cli
