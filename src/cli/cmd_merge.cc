// `octavo merge`: the parts of a comparison, added up and reported as one.
#include <memory>

#include "cli/command.h"
#include "cli/compare_options.h"
#include "cli/gate.h"
#include "cli/help.h"
#include "cli/html_file.h"
#include "cli/shard_files.h"
#include "cli/terminal.h"
#include "compare/checks.h"
#include "octavo/error.h"
#include "report/compare_json.h"
#include "report/compare_text.h"

namespace octavo::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  CompareFlags compare;  // its tolerances
  GateFlags gate;
  bool json = false;
  std::string html_file;
  std::string command;  // as typed
};

int run_merge(const Options& o) {
  HtmlFile html(o.html_file);
  Gate gate(o.gate, false, false, true);
  std::vector<CompareShard> shards;
  for (const std::string& file : o.files) shards.push_back(load_shard(file));
  const CompareContext context = shown(shards[0]);
  CompareOptions options;
  options.tolerances = {o.compare.max_abs, o.compare.min_cosine,
                        o.compare.max_drop, o.compare.max_flips};
  CompareResult result = merge_shards(std::move(shards), options);
  if ((o.compare.max_drop || o.compare.max_flips) && !result.answers)
    throw Error(ErrorKind::usage,
                "--max-drop and --max-flips need answers, and the shards have "
                "none; give --labels to octavo compare --shard");
  gate.judge(result, {context.original_bytes, context.copy_bytes, {}});
  if (html.wanted()) html.write(compared_report(result, context, o.command));
  gate.write(result, context);
  print_result(o.json ? json_text(compare_json(result, context))
               : !gate.printed().empty()
                   ? gate.printed()
                   : compare_text(result, context, stdout_text_options()));
  return exit_code(result, false);
}

}  // namespace

void add_merge(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "merge", "Add up the parts of a comparison made with --shard");
  const auto options = std::make_shared<Options>();
  command
      ->add_option("files", options->files,
                   help("What compare --save-stats wrote, all shards of one "
                        "run"))
      ->required()
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Print one JSON document");
  add_html_option(*command, options->html_file);
  add_tolerance_options(*command, options->compare);
  add_gate_options(*command, options->gate);
  command->callback([&action, options, command] {
    options->command = typed(*command);
    action = [options] { return run_merge(*options); };
  });
}

}  // namespace octavo::cli
