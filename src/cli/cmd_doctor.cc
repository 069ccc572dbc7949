// `octavo doctor`: what a person's machine has for running 8-bit models.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/run_options.h"
#include "cli/terminal.h"
#include "octavo/error.h"
#include "report/json.h"
#include "report/machine_json.h"
#include "report/text_width.h"
#include "report/wrap.h"

namespace octavo::cli {
namespace {

// What the features mean for 8-bit models, in plain sentences.
std::vector<std::string> advice(const CpuInfo& cpu) {
  if (cpu.architecture == "arm64")
    return {cpu.dot_product || cpu.i8mm
                ? "This CPU multiplies 8-bit numbers natively: INT8 models run "
                  "fast and exactly."
                : "This CPU has no 8-bit dot product: INT8 models are smaller, "
                  "but not much faster."};
  if (cpu.architecture != "x86-64")
    return {
        "Nothing is known here about how INT8 models run on this CPU; "
        "measure with octavo trial."};
  if (cpu.amx_int8)
    return {
        "This CPU has AMX-INT8 and VNNI: INT8 models run fast, and sums of "
        "8-bit products are exact."};
  if (cpu.avx512_vnni || cpu.avx_vnni)
    return {
        "This CPU has VNNI: INT8 models run fast, and sums of 8-bit "
        "products are exact."};
  std::vector<std::string> out = {
      "This CPU has no VNNI: INT8 models are a quarter of the size, but gain "
      "little time."};
  if (cpu.avx2)
    out.push_back(
        "Without VNNI, ONNX Runtime adds pairs of uint8 x int8 products in 16 "
        "bits, which saturates for large values: answers can differ from "
        "those on a newer CPU, so compare on the CPU that you ship to.");
  else
    out.push_back("It lacks AVX2 as well: expect INT8 models to be slow here.");
  return out;
}

std::string found_by_text(const std::string& found_by) {
  if (found_by == "OCTAVO_RUNTIME") return "the variable OCTAVO_RUNTIME";
  if (found_by == "build") return "the build, which fetched it";
  if (found_by == "system") return "the system's library path";
  return found_by;
}

std::string runtime_text(const RuntimeInfo& info) {
  std::string out = fmt::format("ONNX Runtime {}\n", info.version);
  const auto line = [&](const char* label, const std::string& text) {
    out += fmt::format("  {:<9}  {}\n", label, printable(text));
  };
  line("library", info.library.string());
  line("named by", found_by_text(info.found_by));
  line("C API", fmt::format("version {}", info.api_version));
  line("threads", std::to_string(info.threads));
  const char* label = "providers";
  for (const std::string& provider : info.providers) {
    line(label, provider);
    label = "";
  }
  return out + "\n";
}

std::string cpu_text(const CpuInfo& cpu) {
  std::string out = fmt::format(
      "CPU {}, {}\n  cores        {} physical, {} "
      "logical\n",
      cpu.model, cpu.architecture, cpu.physical_cores, cpu.logical_cores);
  for (const auto& [name, has] : cpu_features(cpu))
    out += fmt::format("  {:<11}  {}\n", name, has ? "yes" : "no");
  out += "\n";
  for (const std::string& sentence : advice(cpu))
    out += wrap_text(sentence, stdout_text_options().width);
  return out;
}

int run_doctor(const RunOptions& options, bool json) {
  const CpuInfo cpu = cpu_info();
  std::optional<RuntimeInfo> runtime;
  std::optional<Error> failure;
  try {
    runtime = runtime_info(*load_runtime(runtime_options(options)));
  } catch (const Error& error) {
    failure = error;
  }
  if (json) {
    Json out = {{"schema", "octavo.doctor/1"}, {"octavo", version()}};
    out["runtime"] = runtime ? runtime_json(*runtime) : Json();
    if (failure) out["error"] = failure->what();
    out["cpu"] = cpu_json(cpu);
    out["advice"] = advice(cpu);
    print_result(json_text(out));
  } else {
    print_result((runtime ? runtime_text(*runtime) : "") + cpu_text(cpu));
  }
  if (failure) throw *failure;
  return 0;
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "doctor", "Say which runtime is used and what this CPU does with INT8");
  const auto options = std::make_shared<RunOptions>();
  const auto json = std::make_shared<bool>(false);
  command
      ->add_option("--runtime", options->runtime,
                   help("ONNX Runtime to use: a library or a folder with one "
                        "(default: $OCTAVO_RUNTIME, the build's, the "
                        "system's)"))
      ->type_name("PATH");
  command->add_flag("--json", *json, "Print one JSON document");
  command->callback([&action, options, json] {
    action = [options, json] { return run_doctor(*options, *json); };
  });
}

}  // namespace octavo::cli
