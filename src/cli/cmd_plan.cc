// `octavo plan`: what quantizing would do with each node, and why; as a table,
// or as a document to be edited and given to `octavo quantize --plan`.
#include <fmt/format.h>

#include <memory>
#include <span>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/quantize_options.h"
#include "cli/terminal.h"
#include "model/output_file.h"
#include "octavo/error.h"
#include "report/plan_json.h"
#include "report/quantize_text.h"

namespace octavo::cli {
namespace {

struct Options {
  std::string model;
  std::string output;
  QuantizeFlags quantize;
  bool json = false;
  bool verbose = false;
};

int run_plan(const Options& o) {
  Model model = open_model(o.model);
  const std::string print = fingerprint(model);  // of the model as it is
  QuantizeContext context;
  context.input = o.model;
  context.dry_run = true;
  context.result.bytes_before = model.bytes();
  context.result.plan = prepare_and_plan(model, recipe(o.quantize, o.model));
  const Plan& plan = context.result.plan;
  require_quantized(o.quantize, plan);
  const std::string document = json_text(plan_document(plan, o.model, print));
  if (!o.output.empty()) {
    require_writable(o.model, o.output, o.quantize.force);
    OutputFile file(o.output, document.size());
    file.write(0, std::as_bytes(std::span(document)));
    file.commit(false);
  }
  print_result(o.json ? document
                      : quantize_text(context,
                                      o.verbose ? kEveryNode : kFirstNodes,
                                      stdout_text_options()));
  if (!o.output.empty())
    fmt::print(stderr, "The plan is in {}; octavo quantize {} --plan {}\n",
               o.output, o.model, o.output);
  warn_if_nothing(plan);
  return 0;
}

}  // namespace

void add_plan(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "plan", "Say what quantizing would do with each node, and why");
  const auto options = std::make_shared<Options>();
  command->add_option("model", options->model, "The model to plan for")
      ->required()
      ->type_name("MODEL");
  command
      ->add_option("-o,--output", options->output,
                   help("Write the plan here, as JSON, to be edited and given "
                        "to octavo quantize --plan"))
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Print the plan as JSON");
  command->add_flag("-v,--verbose", options->verbose,
                    "List every node, not only the first 100");
  command->add_flag("-f,--force", options->quantize.force,
                    "Replace an existing output");
  add_recipe_options(*command, options->quantize);
  command->callback([&action, options] {
    action = [options] { return run_plan(*options); };
  });
}

}  // namespace octavo::cli
