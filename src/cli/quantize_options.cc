#include "cli/quantize_options.h"

#include <fmt/format.h>

#include <chrono>

#include "base/cpu.h"
#include "check/missing.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "model/mapped_file.h"
#include "octavo/check.h"
#include "octavo/error.h"
#include "report/plan_json.h"
#include "report/units.h"

namespace octavo::cli {
namespace fs = std::filesystem;
namespace {

constexpr ConvMode kConvModes[] = {ConvMode::storage, ConvMode::integer,
                                   ConvMode::keep};

// Does the runtime load the original? If not, the copy is not to blame.
bool original_loads(const std::shared_ptr<Runtime>& runtime,
                    const fs::path& model, const SessionOptions& options,
                    std::string& why) {
  try {
    open_session(runtime, model, loading_only(options));
    return true;
  } catch (const Error& e) {
    why = e.what();
    return false;
  }
}

// Some flags say nothing to a preset.
void require_fit(const QuantizeFlags& flags, bool ort) {
  const QuantizeFlags none;
  const char* lost = !ort && !flags.weight_type.empty()  ? "--weight-type"
                     : !ort                              ? nullptr
                     : flags.min_bytes != none.min_bytes ? "--min-bytes"
                     : flags.conv != none.conv           ? "--conv"
                     : flags.weights != none.weights     ? "--weights"
                     : flags.scale != none.scale         ? "--scale"
                     : flags.standard_ops                ? "--standard-ops"
                     : flags.keep_opset                  ? "--keep-opset"
                     : !flags.assume_constant.empty()    ? "--assume-constant"
                     : !flags.scope.empty()              ? "--scope"
                                                         : nullptr;
  if (lost)
    throw Error(ErrorKind::usage,
                fmt::format("{} means nothing to --preset {}; leave one of "
                            "them out.",
                            lost, flags.preset));
}

// Some flags are of weights in blocks only.
void require_blocks(const QuantizeFlags& flags) {
  const QuantizeFlags none;
  if (flags.weights == "int4" || flags.weights == "int8") {
    if (flags.standard_ops && flags.accuracy_level != 0)
      throw Error(ErrorKind::usage,
                  "--accuracy-level is MatMulNBits' own, which --standard-ops "
                  "forbids; leave one of them out.");
    return;
  }
  const char* lost = flags.block != none.block   ? "--block"
                     : flags.asymmetric          ? "--asymmetric"
                     : flags.accuracy_level != 0 ? "--accuracy-level"
                                                 : nullptr;
  if (lost)
    throw Error(ErrorKind::usage,
                fmt::format("{} means nothing without --weights int4 or int8; "
                            "give one of these, too.",
                            lost));
}

// A plan has a recipe of its own, which flags would contradict.
void require_no_recipe(const QuantizeFlags& flags) {
  const QuantizeFlags none;
  const char* given = flags.preset != none.preset         ? "--preset"
                      : !flags.weight_type.empty()        ? "--weight-type"
                      : flags.per_channel                 ? "--per-channel"
                      : flags.per_tensor                  ? "--per-tensor"
                      : flags.min_bytes != none.min_bytes ? "--min-bytes"
                      : flags.conv != none.conv           ? "--conv"
                      : flags.weights != none.weights     ? "--weights"
                      : flags.scale != none.scale         ? "--scale"
                      : flags.block != none.block         ? "--block"
                      : flags.asymmetric                  ? "--asymmetric"
                      : flags.accuracy_level != 0         ? "--accuracy-level"
                      : flags.standard_ops                ? "--standard-ops"
                      : flags.reduce_range                ? "--reduce-range"
                      : flags.keep_opset                  ? "--keep-opset"
                      : !flags.assume_constant.empty()    ? "--assume-constant"
                      : !flags.include.empty()            ? "--include"
                      : !flags.exclude.empty()            ? "--exclude"
                      : !flags.ops.empty()                ? "--ops"
                      : !flags.scope.empty()              ? "--scope"
                                                          : nullptr;
  if (given)
    throw Error(ErrorKind::usage,
                fmt::format("--plan and {} were both given, and the plan has a "
                            "recipe of its own; make a plan with {}, or edit "
                            "it.",
                            given, given));
}

Recipe recipe_of_plan(const fs::path& file, const fs::path& model) {
  const auto text = MappedFile::open(file);
  try {
    ReadPlan plan =
        read_plan({reinterpret_cast<const char*>(text->bytes().data()),
                   text->bytes().size()});
    if (plan.fingerprint != fingerprint(open_model(model)))
      throw Error(ErrorKind::usage,
                  fmt::format("the plan was made for another model, or for "
                              "another version of {}; make it anew with octavo "
                              "plan.",
                              plan.input));
    return std::move(plan.recipe);
  } catch (const Error& e) {
    throw Error(e.kind(), fmt::format("{}: {}", file.string(), e.what()));
  }
}

// Checks one written file; says in `context` what came of it.
void check(const Written& written, const fs::path& model, const RunOptions& run,
           QuantizeContext& context) {
  std::shared_ptr<Runtime> runtime;
  try {
    runtime = load_runtime(runtime_options(run));
  } catch (const Error& e) {
    if (!run.runtime.empty()) throw;
    context.check =
        fmt::format("not loaded, no ONNX Runtime was found ({})", e.what());
    return;
  }
  const std::string version = runtime_info(*runtime).version;
  const SessionOptions options = session_options(run);
  try {
    check_loads(runtime, written, options);
    context.check = fmt::format("loads on ONNX Runtime {}", version);
    context.checked = true;
  } catch (const Error& e) {
    std::string why;
    if (original_loads(runtime, model, options, why)) {
      const std::string missing = missing_in(e.what());
      throw Error(
          ErrorKind::runtime,
          fmt::format(
              "the INT8 copy of {} does not load on ONNX Runtime {}, "
              "and the original does. {}Nothing was kept. {}",
              model.string(), version,
              missing.empty() ? "" : fmt::format("The runtime {}. ", missing),
              e.what()));
    }
    const std::string missing = missing_in(why);
    context.check = fmt::format(
        "not loaded, ONNX Runtime {} does not load the original either: {}",
        version, missing.empty() ? why : "it " + missing);
  }
}

}  // namespace

void add_recipe_options(CLI::App& app, QuantizeFlags& flags) {
  const char* group = "Quantizing";
  app.add_option("--plan", flags.plan,
                 help("Do what this file says, which octavo plan "
                      "has written; instead of all flags up to "
                      "--scope"))
      ->type_name("FILE")
      ->group(group);
  app.add_option("--preset", flags.preset,
                 help("safe (default); or ort: the names, nodes and weights "
                      "of ONNX Runtime's quantize_dynamic, bit for bit, of "
                      "versions 1.21 to 1.30; or ort-1.32"))
      ->type_name("NAME")
      ->check(CLI::IsMember({"safe", "ort", "ort-1.32"}).description(""))
      ->group(group);
  app.add_option("--weight-type", flags.weight_type,
                 help("int8 (default) or uint8, with --preset ort only"))
      ->type_name("TYPE")
      ->check(CLI::IsMember({"int8", "uint8"}).description(""))
      ->group(group);
  app.add_flag("--per-channel", flags.per_channel,
               help("One scale for each output channel, which is the default "
                    "but with --preset ort"))
      ->group(group);
  app.add_flag("--per-tensor", flags.per_tensor,
               help("One scale for each weight, not one for each output "
                    "channel: a larger error, hardly smaller or faster"))
      ->group(group);
  app.add_option("--min-bytes", flags.min_bytes,
                 help("Leave smaller weights float (default 1024)"))
      ->type_name("N")
      ->check(CLI::NonNegativeNumber.description(""))
      ->group(group);
  app.add_option("--conv", flags.conv,
                 help("Convolutions: storage (default; int8 in the file, "
                      "float arithmetic), integer, keep"))
      ->type_name("MODE")
      ->check(CLI::IsMember({"storage", "integer", "keep"}).description(""))
      ->group(group);
  app.add_option("--weights", flags.weights,
                 help("Of products: dynamic (default; int8, activations "
                      "quantized while running); int4 or int8 (blocks that "
                      "share a scale, activations float); storage (int8 in "
                      "the file, float once loaded)"))
      ->type_name("FORM")
      ->check(CLI::IsMember(weight_form_names()).description(""))
      ->group(group);
  app.add_option("--scale", flags.scale,
                 help("Scales of weights from their range (default), or mse: "
                      "shrunk where that makes their squared error smaller"))
      ->type_name("HOW")
      ->check(CLI::IsMember({"range", "mse"}).description(""))
      ->group(group);
  app.add_option("--block", flags.block,
                 help("Weights that share a scale in int4 and int8 blocks: 16, "
                      "32 (default), 64, 128, 256"))
      ->type_name("N")
      ->check(CLI::IsMember({16, 32, 64, 128, 256}).description(""))
      ->group(group);
  app.add_flag("--asymmetric", flags.asymmetric,
               help("Blocks with a zero point of their own"))
      ->group(group);
  app.add_option("--accuracy-level", flags.accuracy_level,
                 help("How MatMulNBits computes: 0 (default; as the runtime "
                      "likes), 1 float32, 2 float16, 3 bfloat16, 4 int8"))
      ->type_name("N")
      ->check(CLI::Range(0, 4).description(""))
      ->group(group);
  app.add_flag("--standard-ops", flags.standard_ops,
               help("Use only ONNX's own operators, none of com.microsoft"))
      ->group(group);
  app.add_flag("--reduce-range", flags.reduce_range,
               help("Weights of integer products within [-64, 64]: for x86 "
                    "processors without VNNI, where larger ones saturate"))
      ->group(group);
  app.add_flag("--keep-opset", flags.keep_opset,
               help("Do not convert a model of opset 7 to 10 to 11, which "
                    "integer products need"))
      ->group(group);
  const auto add_patterns = [&](const char* name,
                                std::vector<std::string>& values,
                                const char* text) {
    app.add_option(name, values, help(text))
        ->allow_extra_args(false)
        ->type_name("PATTERN")
        ->group(group);
  };
  app.add_option("--assume-constant", flags.assume_constant,
                 help("Take weights that are inputs of the model, too, for "
                      "constants, which nobody can replace any more: those of "
                      "such names, or all; may be repeated"))
      ->allow_extra_args(false)
      ->type_name("[PATTERN]")
      ->group(group);
  add_patterns("--include", flags.include,
               "Quantize only nodes of such names: a glob or /regex/; may be "
               "repeated");
  add_patterns("--exclude", flags.exclude,
               "Leave nodes of such names float; may be repeated");
  add_patterns("--ops", flags.ops,
               "Quantize only such operators; may be repeated");
  add_patterns("--scope", flags.scope,
               "Quantize only within such bodies of If, Loop and Scan; may be "
               "repeated");
  app.add_option("--require-quantized", flags.require_quantized,
                 help("Write nothing, and end with 1, unless more than this "
                      "share of the weights' bytes is quantized (without a "
                      "number: unless any is)"))
      ->type_name("[PERCENT]")
      ->check(CLI::Range(0.0, 100.0).description(""))
      ->group(group);
}

void add_quantize_options(CLI::App& app, QuantizeFlags& flags) {
  const char* group = "Quantizing";
  add_recipe_options(app, flags);
  app.add_option("--external-data", flags.external_data,
                 help("Weights in a file beside the model: auto (default, "
                      "above 2 GiB), always, never"))
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""))
      ->group(group);
  app.add_option("--write-threads", flags.write_threads,
                 help("Threads that quantize and write (default: one a core)"))
      ->type_name("N")
      ->check(CLI::NonNegativeNumber.description(""))
      ->group(group);
  app.add_flag("--no-sync", flags.no_sync,
               help("Do not wait until the copy is on the disk"))
      ->group(group);
  app.add_flag("--no-check", flags.no_check,
               help("Do not let ONNX Runtime load the copy"))
      ->group(group);
  app.add_flag("--no-source-hash", flags.no_source_hash,
               help("Do not note the original's SHA-256 in the copy: hashing "
                    "a large model takes longer than quantizing it"))
      ->group(group);
  app.add_flag("-f,--force", flags.force, help("Replace an existing output"))
      ->group(group);
}

Recipe recipe(const QuantizeFlags& flags, const fs::path& model) {
  if (!flags.plan.empty()) {
    require_no_recipe(flags);
    return recipe_of_plan(flags.plan, model);
  }
  if (flags.per_tensor && flags.per_channel)
    throw Error(ErrorKind::usage,
                "--per-tensor and --per-channel were both given; one was "
                "expected.");
  const bool ort = flags.preset != "safe";
  require_fit(flags, ort);
  require_blocks(flags);
  Recipe r;
  r.name = flags.preset;
  if (flags.weight_type == "uint8") r.weight_type = DType::uint8;
  r.per_channel = ort ? flags.per_channel : !flags.per_tensor;
  r.min_bytes = flags.min_bytes;
  r.weights = weight_form_named(flags.weights).value();
  r.scaling = scaling_named(flags.scale).value();
  r.block = flags.block;
  r.asymmetric = flags.asymmetric;
  r.accuracy_level = flags.accuracy_level;
  r.standard_ops = flags.standard_ops;
  r.reduce_range = flags.reduce_range;
  r.keep_opset = flags.keep_opset;
  r.assume_constant = flags.assume_constant;
  r.include = flags.include;
  r.exclude = flags.exclude;
  r.ops = flags.ops;
  r.scopes = flags.scope;
  for (const ConvMode mode : kConvModes)
    if (flags.conv == conv_mode_name(mode)) r.conv = mode;
  return r;
}

Recipe searchable_recipe(const QuantizeFlags& flags, const fs::path& model) {
  Recipe r = recipe(flags, model);
  if (r.name != Recipe().name)
    throw Error(ErrorKind::usage,
                fmt::format("--preset {} decides by what earlier nodes left "
                            "behind, so that its nodes cannot be chosen one "
                            "by one; leave the preset out.",
                            r.name));
  return r;
}

void require_quantized(const QuantizeFlags& flags, const Plan& plan) {
  const double share = quantized_share(plan);
  if (flags.require_quantized < 0 || share > flags.require_quantized / 100)
    return;
  throw Unmet{fmt::format(
      "{} of the weights' bytes would be quantized, and more than {} % was "
      "required. Nothing was written; octavo plan says why.",
      percent_text(share), plain_number(flags.require_quantized))};
}

void warn_if_nothing(const Plan& plan) {
  if (plan.quantized == 0)
    fmt::print(stderr,
               "octavo: warning: nothing is quantized; the report says why.\n");
}

fs::path output_path(const fs::path& model, const std::string& output) {
  if (!output.empty()) return output;
  fs::path path = model;
  return path.replace_extension(".int8.onnx");
}

void require_writable(const fs::path& model, const fs::path& output,
                      bool force) {
  std::error_code ec;
  if (fs::equivalent(model, output, ec))
    throw Error(ErrorKind::usage,
                fmt::format("{} is the original itself, which Octavo never "
                            "replaces; name another output with -o.",
                            output.string()));
  if (fs::exists(output, ec) && !fs::is_directory(output, ec) && !force)
    throw Error(ErrorKind::usage,
                fmt::format("{} exists already; name another output with -o, "
                            "or replace it with --force.",
                            output.string()));
}

QuantizeContext quantize_checked(
    const fs::path& model, const fs::path& output, const QuantizeFlags& flags,
    const RunOptions& run,
    const std::function<void(uint64_t, uint64_t)>& progress) {
  QuantizeContext context;
  context.input = model.string();
  context.output = output.string();
  const CpuInfo cpu = cpu_info();
  context.vnni = cpu.avx_vnni || cpu.avx512_vnni;
  context.check = "not made, --no-check was given";
  QuantizeOptions options;
  options.recipe = recipe(flags, model);
  options.planned = [&](const Plan& plan) { require_quantized(flags, plan); };
  options.write.threads = flags.write_threads;
  options.write.sync = !flags.no_sync;
  options.source_hash = !flags.no_source_hash;
  const auto& interrupted = catch_interrupt();
  options.write.progress = [&](uint64_t done, uint64_t all) {
    if (interrupted) throw Interrupted();
    progress(done, all);
  };
  options.write.external =
      flags.external_data == "always"  ? ExternalData::always
      : flags.external_data == "never" ? ExternalData::never
                                       : ExternalData::automatic;
  if (!flags.no_check)
    options.write.check = [&](const Written& written) {
      check(written, model, run, context);
    };
  const auto begin = std::chrono::steady_clock::now();
  context.result = quantize_file(model, output, options);
  context.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return context;
}

}  // namespace octavo::cli
