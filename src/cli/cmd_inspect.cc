// `octavo inspect`: what is in a model; or, of two, what became of the first.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/terminal.h"
#include "report/inspect_report.h"

namespace octavo::cli {
namespace {

struct Options {
  std::string model, other;
  size_t tensors = 10;
  bool json = false;
};

int run_inspect(const Options& o) {
  const Model model = open_model(o.model);
  const TextOptions text = stdout_text_options();
  if (o.other.empty()) {
    const InspectedModel m = {o.model, inspect(model)};
    print_result(o.json ? json_text(inspect_json(m))
                        : inspect_text(m, o.tensors, text));
    return 0;
  }
  const Model other = open_model(o.other);
  const InspectedPair pair = {{o.model, inspect(model)},
                              {o.other, inspect(other)},
                              changes(model, other),
                              make_plan(other)};
  print_result(o.json ? json_text(inspect_json(pair))
                      : inspect_text(pair, text));
  return 0;
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "inspect", "Say what is in a model, or what became of it in another");
  const auto options = std::make_shared<Options>();
  command->add_option("model", options->model, "The model to look into")
      ->required()
      ->type_name("MODEL");
  command
      ->add_option("other", options->other,
                   "Its copy: what became of each node")
      ->type_name("COPY");
  command
      ->add_option("--tensors", options->tensors,
                   help("How many of the largest tensors to list "
                        "(default 10)"))
      ->type_name("N");
  command->add_flag("--json", options->json, "Print one JSON document");
  command->callback([&action, options] {
    action = [options] { return run_inspect(*options); };
  });
}

}  // namespace octavo::cli
