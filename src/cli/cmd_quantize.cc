// `octavo quantize`: a model in, its INT8 copy out, and the fate of each node
// that holds weights.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/quantize_options.h"
#include "cli/run_options.h"
#include "cli/terminal.h"
#include "octavo/error.h"
#include "report/json.h"
#include "report/quantize_json.h"
#include "report/quantize_text.h"

namespace octavo::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string model;
  std::string output;
  QuantizeFlags quantize;
  RunOptions run;
  bool dry_run = false;
  bool verbose = false;
  bool json = false;
};

QuantizeContext plan_only(const Options& o) {
  Model model = open_model(o.model);
  QuantizeContext context;
  context.input = o.model;
  context.result.plan = prepare_and_plan(model, recipe(o.quantize, o.model));
  require_quantized(o.quantize, context.result.plan);
  context.result.bytes_before = model.bytes();
  context.dry_run = true;
  return context;
}

QuantizeContext quantize(const Options& o) {
  const fs::path out = output_path(o.model, o.output);
  require_writable(o.model, out, o.quantize.force);
  ProgressLine line;
  const auto show = [&](uint64_t done, uint64_t all) {
    constexpr uint64_t kMiB = 1 << 20;
    line.show("writing", static_cast<int64_t>(done / kMiB),
              static_cast<int64_t>(all / kMiB), "MiB");
  };
  QuantizeContext context =
      quantize_checked(o.model, out, o.quantize, o.run, show);
  line.clear();
  return context;
}

int run_quantize(const Options& o) {
  const QuantizeContext context = o.dry_run ? plan_only(o) : quantize(o);
  warn_if_nothing(context.result.plan);
  if (o.json) {
    fmt::print("{}", json_text(quantize_json(context)));
  } else {
    fmt::print("{}", quantize_text(context,
                                   o.verbose   ? kEveryNode
                                   : o.dry_run ? kFirstNodes
                                               : 0,
                                   stdout_text_options()));
  }
  return 0;
}

}  // namespace

void add_quantize(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("quantize", "Make an INT8 copy of a model");
  const auto options = std::make_shared<Options>();
  command->add_option("model", options->model, "The model to quantize")
      ->required()
      ->type_name("MODEL");
  command
      ->add_option("-o,--output", options->output,
                   "Where the copy goes [MODEL.int8.onnx]")
      ->type_name("OUT");
  command->add_flag("-n,--dry-run", options->dry_run,
                    "Print the plan and write nothing");
  command->add_flag("-v,--verbose", options->verbose,
                    "Print every node's fate");
  add_quantize_options(*command, options->quantize);
  add_runtime_options(*command, options->run);
  command->add_flag("--json", options->json, "Print one JSON document");
  command->callback([&action, options] {
    action = [options] { return run_quantize(*options); };
  });
}

}  // namespace octavo::cli
