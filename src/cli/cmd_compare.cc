// `octavo compare`: what the copy's answers cost, on a person's own samples.
#include <memory>

#include "cli/command.h"
#include "cli/compare_options.h"
#include "cli/gate.h"
#include "cli/html_file.h"
#include "cli/interrupt.h"
#include "cli/layers.h"
#include "cli/metric_command.h"
#include "cli/probes.h"
#include "cli/run_options.h"
#include "cli/terminal.h"
#include "octavo/error.h"
#include "octavo/model.h"
#include "report/compare_json.h"
#include "report/compare_text.h"

namespace octavo::cli {
namespace {

struct Options {
  std::string original;
  std::string copy;
  RunOptions run;
  CompareFlags compare;
  GateFlags gate;
  bool json = false;
  std::string html_file;
  std::string command;  // as typed
};

// Data files included; not known for files that Octavo cannot read.
OwnMeasurements sizes_of(const std::string& original, const std::string& copy) {
  try {
    return {open_model(original).bytes(), open_model(copy).bytes(), {}};
  } catch (const Error&) {
    return {};
  }
}

int run_compare(const Options& o) {
  HtmlFile html(o.html_file);
  MetricCommand command(o.compare.metric_command);
  Gate gate(o.gate, false, !o.compare.no_probes, command.wanted());
  CompareOptions options = compare_options(o.compare);
  const auto runtime = load_runtime(runtime_options(o.run));
  const SessionOptions session = session_options(o.run);
  const auto original = open_session(runtime, o.original, session);
  const auto copy = open_session(runtime, o.copy, session);
  const auto samples = open_samples(sample_spec(o.run), original->inputs());
  gate.check(*original, options);

  ProgressLine line;
  options.progress = [&](const CompareProgress& p) {
    line.show("comparing", p.samples_done, p.samples, "samples");
  };
  const std::atomic<bool>& stop = catch_interrupt();
  options.stop = &stop;
  if (command.wanted()) command.observe(options, *original, *copy);
  CompareResult result = compare(*original, *copy, *samples, options);
  line.clear();
  if (command.wanted() && !result.partial) result.figures = command.run();
  if (!o.compare.no_probes)
    result.probes = probe(runtime, session, {o.original, *original},
                          {o.copy, *copy}, *samples, stop);
  const OwnMeasurements sizes = sizes_of(o.original, o.copy);
  gate.judge(result, sizes);

  CompareContext context = compare_context(*runtime, o.run);
  context.original = o.original;
  context.copy = o.copy;
  context.original_bytes = sizes.original_bytes;
  context.copy_bytes = sizes.copy_bytes;
  if (o.compare.layers)
    context.layers =
        measure_layers(runtime, session, o.original, o.copy, *samples, stop);
  if (html.wanted()) html.write(compared_report(result, context, o.command));
  gate.write(result, context);
  print_result(o.json ? json_text(compare_json(result, context))
               : !gate.printed().empty()
                   ? gate.printed()
                   : compare_text(result, context, stdout_text_options()));
  return exit_code(result, context.layers);
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "compare", "Compare two models' outputs on the same samples");
  const auto options = std::make_shared<Options>();
  command->add_option("original", options->original, "The original model")
      ->required()
      ->type_name("A");
  command->add_option("copy", options->copy, "The copy, such as quantized")
      ->required()
      ->type_name("B");
  add_run_options(*command, options->run);
  add_compare_options(*command, options->compare);
  add_gate_options(*command, options->gate);
  command->add_flag("--json", options->json, "Print one JSON document");
  add_html_option(*command, options->html_file);
  command->callback([&action, options, command] {
    options->command = typed(*command);
    action = [options] { return run_compare(*options); };
  });
}

}  // namespace octavo::cli
