// The flags that quantizing has wherever it happens, and the step itself:
// quantize, check on the runtime, put in place.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cli/run_options.h"
#include "report/quantize_context.h"

namespace octavo::cli {

struct QuantizeFlags {
  std::string plan;  // a file; then the recipe is its
  std::string preset = "safe";
  std::string weight_type;  // of the preset ort
  bool per_tensor = false, per_channel = false;
  int64_t min_bytes = 1024;
  std::string conv = "storage";
  std::string weights = "dynamic";
  std::string scale = "range";
  int64_t block = 32;
  bool asymmetric = false;
  int64_t accuracy_level = 0;
  bool standard_ops = false;
  bool reduce_range = false;
  bool keep_opset = false;
  std::vector<std::string> assume_constant;
  std::vector<std::string> include, exclude, ops, scope;
  double require_quantized = -1;  // percent; negative: nothing is required
  std::string external_data = "auto";
  int write_threads = 0;
  bool no_sync = false;
  bool no_check = false;
  bool no_source_hash = false;
  bool force = false;
};

// The flags of the recipe alone, and all.
void add_recipe_options(CLI::App& app, QuantizeFlags& flags);
void add_quantize_options(CLI::App& app, QuantizeFlags& flags);

// From the flags, or from the plan file, which must have been made for the
// model. Throws Error where it was not.
Recipe recipe(const QuantizeFlags& flags, const std::filesystem::path& model);

// The same, for a search over its nodes. Throws Error(usage) for presets whose
// plans are no choice a node.
Recipe searchable_recipe(const QuantizeFlags& flags,
                         const std::filesystem::path& model);

// Throws Unmet where --require-quantized asks for more than the plan gives.
void require_quantized(const QuantizeFlags& flags, const Plan& plan);

// Says on stderr that nothing was quantized, where that is so.
void warn_if_nothing(const Plan& plan);

// `output`, or the model's name with .int8.onnx.
std::filesystem::path output_path(const std::filesystem::path& model,
                                  const std::string& output);

// Throws Error(usage) where the output exists and --force was not given, or
// where it is the original itself.
void require_writable(const std::filesystem::path& model,
                      const std::filesystem::path& output, bool force);

// Quantizes and, unless --no-check, lets the runtime load the result before it
// gets its name. Without a runtime, or where the runtime does not load the
// original either, the result stays and `check` says that it was not checked.
QuantizeContext quantize_checked(
    const std::filesystem::path& model, const std::filesystem::path& output,
    const QuantizeFlags& flags, const RunOptions& run,
    const std::function<void(uint64_t, uint64_t)>& progress);

}  // namespace octavo::cli
