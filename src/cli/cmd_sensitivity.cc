// `octavo sensitivity`: which layers a model can bear to have quantized, on a
// person's own samples and metric.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/compare_options.h"
#include "cli/help.h"
#include "cli/html_file.h"
#include "cli/interrupt.h"
#include "cli/quantize_options.h"
#include "cli/report_file.h"
#include "cli/run_options.h"
#include "cli/scratch.h"
#include "cli/terminal.h"
#include "octavo/error.h"
#include "octavo/limits.h"
#include "report/sensitivity_report.h"

namespace octavo::cli {
namespace {

constexpr size_t kShown = 20;

struct Options {
  std::string model;
  RunOptions run;
  QuantizeFlags quantize;
  CompareFlags compare;
  std::string by = "error";
  std::string precision = "5%";
  std::string state;
  bool no_switch = false;
  bool json = false;
  bool verbose = false;
  std::string html_file;
  std::string command;  // as typed
};

constexpr ReportKind kPage{"--html", "HTML page", "<!doctype html"};

// "5%" or "0.05".
double precision_of(const std::string& text) {
  const Limit limit = parse_limit("x <= " + text);
  if (!(limit.bound >= 0 && limit.bound < 1))
    throw Error(ErrorKind::usage,
                fmt::format("--precision is {}, but must be a share from 0 up "
                            "to 100%; 0 takes all samples",
                            text));
  return limit.bound;
}

int run_sensitivity(const Options& o) {
  ReportFile html(o.html_file, kPage);
  const Recipe plan = searchable_recipe(o.quantize, o.model);
  SensitivityOptions options;
  options.compare = compare_options(o.compare);
  const auto runtime = load_runtime(runtime_options(o.run));
  options.session = session_options(o.run);
  const auto samples = [&] {
    const auto original = open_session(runtime, o.model, options.session);
    auto source = open_samples(sample_spec(o.run), original->inputs());
    return source;
  }();
  const Scratch scratch;
  options.scratch = scratch.path();
  options.by = o.by;
  options.precision = precision_of(o.precision);
  options.seed = o.run.seed;
  options.state = o.state;
  options.switches = !o.no_switch;
  const std::atomic<bool>& stop = catch_interrupt();
  options.stop = &stop;
  SensitivityResult result;
  {
    ProgressLine line;
    options.progress = [&](int64_t done, int64_t all) {
      line.show("measuring layers", done, all, "evaluations");
    };
    result = measure_sensitivity(runtime, o.model, plan, *samples, options);
  }
  const SensitivityContext context{o.model, samples->description(),
                                   runtime_info(*runtime).version, o.command};
  if (html.wanted()) html.write(sensitivity_html(result, context));
  print_result(o.json
                   ? json_text(sensitivity_json(result, context))
                   : sensitivity_text(result, context,
                                      o.verbose ? result.layers.size() : kShown,
                                      stdout_text_options()));
  return result.partial ? kInterrupted : 0;
}

}  // namespace

void add_sensitivity(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "sensitivity", "Measure what quantizing each layer costs by itself");
  const auto options = std::make_shared<Options>();
  command->add_option("model", options->model, "The original model")
      ->required()
      ->type_name("MODEL");
  command
      ->add_option("--by", options->by,
                   help("What is measured: error (default; relative L2), or a "
                        "name such as accuracy.drop or logits.sqnr_db"))
      ->type_name("NAME");
  command
      ->add_option("--precision", options->precision,
                   help("Take as many samples as make the standard error this "
                        "share of a figure (default 5%; 0: all; errors only)"))
      ->type_name("SHARE");
  command
      ->add_option("--state", options->state,
                   help("Keep what is known here as it is measured, and do not "
                        "measure it again"))
      ->type_name("FILE");
  command->add_flag("--no-switch", options->no_switch,
                    help("Open a session for every evaluation instead of one "
                         "for all: slower, and the same figures"));
  command->add_flag("--json", options->json, "Print one JSON document");
  command->add_flag("-v,--verbose", options->verbose,
                    "List every layer, not only the worst 20");
  add_html_option(*command, options->html_file);
  add_run_options(*command, options->run);
  add_label_options(*command, options->compare);
  add_recipe_options(*command, options->quantize);
  command->callback([&action, options, command] {
    options->command = typed(*command);
    action = [options] { return run_sensitivity(*options); };
  });
}

}  // namespace octavo::cli
