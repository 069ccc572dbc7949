#include "cli/run_options.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/help.h"
#include "octavo/error.h"

namespace octavo::cli {
namespace {

template <typename T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size())
    return std::nullopt;
  return value;
}

[[noreturn]] void malformed(const char* flag, const std::string& text,
                            const char* form) {
  throw Error(ErrorKind::usage,
              fmt::format("{} {} cannot be read; it is written {} {}.", flag,
                          text, flag, form));
}

// Names of inputs may hold '=' and ':'; numbers do not, so the last '=' parts.
std::pair<std::string, std::string> split_last(const char* flag,
                                               const std::string& text,
                                               const char* form) {
  const size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0) malformed(flag, text, form);
  return {text.substr(0, at), text.substr(at + 1)};
}

SampleSpec::Input input_of(const std::string& text) {
  std::error_code ignored;
  const size_t at = text.find('=');
  if (at == std::string::npos || at == 0 ||
      std::filesystem::exists(text, ignored))
    return {"", text};
  return {text.substr(0, at), text.substr(at + 1)};
}

// One value for each time the flag is given, so that a positional may follow.
CLI::Option* add_repeatable(CLI::App& app, const char* name,
                            std::vector<std::string>& values,
                            std::string_view text) {
  return app.add_option(name, values, help(text))->allow_extra_args(false);
}

}  // namespace

void add_run_options(CLI::App& app, RunOptions& options) {
  const char* group = "Samples (one of --input, --samples, --random)";
  add_repeatable(app, "--input", options.input,
                 "One batch, given whole: .npy, .npz or TensorProto .pb; may "
                 "be repeated")
      ->type_name("[NAME=]FILE")
      ->group(group);
  app.add_option(
         "--samples", options.samples,
         help("Many: an .npz whose arrays' leading axis counts samples, or "
              "a folder of test_data_set_* folders or array files"))
      ->type_name("FILE|FOLDER")
      ->group(group);
  app.add_option("--batch", options.batch, help("Samples a batch (default 1)"))
      ->type_name("N")
      ->group(group);
  app.add_option("--random", options.random, help("Generate this many batches"))
      ->type_name("N")
      ->group(group);
  app.add_option("--seed", options.seed, help("Seed of --random (default 0)"))
      ->type_name("S")
      ->group(group);
  add_repeatable(app, "--dim", options.dim,
                 "Size of an open dimension for --random, by its name or as "
                 "INPUT:AXIS")
      ->type_name("NAME=SIZE")
      ->group(group);
  add_repeatable(app, "--range", options.range,
                 "Values of an input for --random, HI not included")
      ->type_name("NAME=LO:HI")
      ->group(group);
  add_runtime_options(app, options);
}

void add_runtime_options(CLI::App& app, RunOptions& options) {
  const char* group = "Runtime";
  app.add_option("--runtime", options.runtime,
                 help("ONNX Runtime to use: a library or a folder with one "
                      "(default: $OCTAVO_RUNTIME, the build's, the system's)"))
      ->type_name("PATH")
      ->group(group);
  app.add_option("--threads", options.threads,
                 help("Threads of the runtime (default: one a core)"))
      ->type_name("N")
      ->group(group);
  add_repeatable(app, "--provider", options.provider,
                 "Execution provider, the preferred one first; may be "
                 "repeated (default: CPU)")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--optimization", options.optimization,
                 help("What the runtime does to the graph at load: disabled, "
                      "basic, extended or all (default)"))
      ->check(CLI::IsMember({"disabled", "basic", "extended", "all"})
                  .description(""))
      ->type_name("LEVEL")
      ->group(group);
  add_repeatable(app, "--custom-ops", options.custom_ops,
                 "Library of custom operators; may be repeated")
      ->type_name("LIB")
      ->group(group);
}

std::vector<std::string> run_flags(const RunOptions& run) {
  std::vector<std::string> out;
  const auto add = [&](const char* flag, const std::string& value) {
    out.push_back(flag);
    out.push_back(value);
  };
  for (const std::string& input : run.input) add("--input", input);
  if (!run.samples.empty()) add("--samples", run.samples);
  if (run.random > 0) add("--random", fmt::format("{}", run.random));
  if (run.seed != 0) add("--seed", fmt::format("{}", run.seed));
  if (run.batch != 1) add("--batch", fmt::format("{}", run.batch));
  for (const std::string& dim : run.dim) add("--dim", dim);
  for (const std::string& range : run.range) add("--range", range);
  if (!run.runtime.empty()) add("--runtime", run.runtime);
  if (run.threads != 0) add("--threads", fmt::format("{}", run.threads));
  for (const std::string& p : run.provider) add("--provider", p);
  if (run.optimization != "all") add("--optimization", run.optimization);
  for (const std::string& lib : run.custom_ops) add("--custom-ops", lib);
  return out;
}

SampleSpec sample_spec(const RunOptions& options) {
  SampleSpec out;
  for (const std::string& text : options.input)
    out.inputs.push_back(input_of(text));
  out.samples = options.samples;
  out.batch = options.batch;
  out.random = options.random;
  out.seed = options.seed;
  for (const std::string& text : options.dim) {
    const auto [name, size] = split_last("--dim", text, "NAME=SIZE");
    const auto value = number<int64_t>(size);
    if (!value) malformed("--dim", text, "NAME=SIZE");
    out.dims.emplace_back(name, *value);
  }
  for (const std::string& text : options.range) {
    constexpr const char* kForm = "NAME=LO:HI";
    const auto [name, ends] = split_last("--range", text, kForm);
    const size_t colon = ends.find(':');
    if (colon == std::string::npos) malformed("--range", text, kForm);
    const auto low = number<double>(std::string_view(ends).substr(0, colon));
    const auto high = number<double>(std::string_view(ends).substr(colon + 1));
    if (!low || !high) malformed("--range", text, kForm);
    out.ranges.emplace_back(name, SampleSpec::Range{*low, *high});
  }
  return out;
}

RuntimeOptions runtime_options(const RunOptions& options) {
  RuntimeOptions out;
  out.library = options.runtime;
  out.threads = options.threads;
  return out;
}

SessionOptions session_options(const RunOptions& options) {
  SessionOptions out;
  out.providers = options.provider;
  for (const std::string& library : options.custom_ops)
    out.custom_ops.emplace_back(library);
  out.optimization = options.optimization == "disabled" ? Optimization::disabled
                     : options.optimization == "basic"  ? Optimization::basic
                     : options.optimization == "extended"
                         ? Optimization::extended
                         : Optimization::all;
  return out;
}

}  // namespace octavo::cli
