// `octavo compare`: what the copy's answers cost, on a person's own samples.
#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "cli/command.h"
#include "cli/compare_options.h"
#include "cli/gate.h"
#include "cli/help.h"
#include "cli/html_file.h"
#include "cli/interrupt.h"
#include "cli/layers.h"
#include "cli/metric_command.h"
#include "cli/probes.h"
#include "cli/run_options.h"
#include "cli/shard_files.h"
#include "cli/terminal.h"
#include "octavo/error.h"
#include "octavo/model.h"
#include "octavo/shards.h"
#include "report/compare_json.h"
#include "report/compare_text.h"
#include "tune/known.h"

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
  std::string shard;
  std::string stats_file;
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

// What has no meaning for a part of the samples.
void require_part(const Options& o) {
  const CompareFlags& c = o.compare;
  const GateFlags& g = o.gate;
  const char* lost = o.stats_file.empty() ? "--shard without --save-stats"
                     : c.layers           ? "--layers"
                     : !c.metric_command.empty() ? "--metric-command"
                     : o.json                    ? "--json"
                     : !o.html_file.empty()      ? "--html"
                     : !g.require.empty()        ? "--require"
                     : !g.tolerances.empty()     ? "--tolerances"
                     : !g.baseline.empty()       ? "--baseline"
                     : !g.save_baseline.empty()  ? "--save-baseline"
                     : !g.junit.empty()          ? "--junit"
                     : !g.markdown.empty()       ? "--markdown"
                     : c.max_abs || c.min_cosine || c.max_drop || c.max_flips
                         ? "a tolerance"
                         : nullptr;
  if (lost)
    throw Error(ErrorKind::usage,
                fmt::format("{} means nothing to a shard, which is a file of "
                            "statistics (--save-stats FILE); reports and "
                            "verdicts are octavo merge's",
                            lost));
}

// "2/3".
std::pair<int64_t, int64_t> shard_of(const std::string& text) {
  if (text.empty()) return {1, 1};
  int64_t i = 0, n = 0;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, i);
  if (first.ec == std::errc() && first.ptr < end && *first.ptr == '/') {
    const auto second = std::from_chars(first.ptr + 1, end, n);
    if (second.ec == std::errc() && second.ptr == end) return {i, n};
  }
  throw Error(
      ErrorKind::usage,
      fmt::format("--shard is '{}'; i/n was expected, such as 2/3", text));
}

int run_shard(const Options& o) {
  require_part(o);
  const auto [index, count] = shard_of(o.shard);
  StatsFile file(o.stats_file);
  CompareOptions options = compare_options(o.compare);
  const auto runtime = load_runtime(runtime_options(o.run));
  const SessionOptions session = session_options(o.run);
  const auto original = open_session(runtime, o.original, session);
  const auto copy = open_session(runtime, o.copy, session);
  const auto samples = open_samples(sample_spec(o.run), original->inputs());
  ProgressLine line;
  int64_t done = 0;
  options.progress = [&](const CompareProgress& p) {
    done = p.samples_done;
    line.show("comparing", p.batches_done, p.batches, "batches");
  };
  const std::atomic<bool>& stop = catch_interrupt();
  options.stop = &stop;
  CompareShard shard;
  try {
    shard = compare_shard(*original, *copy, *samples, options, index, count);
  } catch (const Error&) {
    if (stop) throw Interrupted();  // half a shard is none
    throw;
  }
  line.clear();
  describe(shard, question_of(o.original, *samples, options, session, *runtime),
           o.copy);
  const OwnMeasurements sizes = sizes_of(o.original, o.copy);
  CompareContext context = compare_context(*runtime, o.run);
  context.original = o.original;
  context.copy = o.copy;
  context.original_bytes = sizes.original_bytes;
  context.copy_bytes = sizes.copy_bytes;
  show(shard, context);
  file.write(to_bytes(shard));
  print_result(
      fmt::format("Shard {} of {}: the statistics of {} samples are "
                  "in {}.\n",
                  index, count, done, o.stats_file));
  return 0;
}

int run_compare(const Options& o) {
  if (!o.shard.empty() || !o.stats_file.empty()) return run_shard(o);
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
  if (!o.compare.no_probes && !result.partial)
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
  return exit_code(result, stop);
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
  const char* parts = "In parts";
  command
      ->add_option("--shard", options->shard,
                   help("Compare on the i-th of n parts of the batches alone; "
                        "needs --save-stats"))
      ->type_name("i/n")
      ->group(parts);
  command
      ->add_option("--save-stats", options->stats_file,
                   help("Write statistics here instead of a report, for "
                        "octavo merge"))
      ->type_name("FILE")
      ->group(parts);
  command->callback([&action, options, command] {
    options->command = typed(*command);
    action = [options] { return run_compare(*options); };
  });
}

}  // namespace octavo::cli
