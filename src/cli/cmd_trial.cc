// `octavo trial`: the whole recipe on a person's own samples. The original
// runs, it is quantized, the copy is checked and compared, both are timed.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>

#include "cli/command.h"
#include "cli/compare_options.h"
#include "cli/gate.h"
#include "cli/help.h"
#include "cli/html_file.h"
#include "cli/interrupt.h"
#include "cli/layers.h"
#include "cli/metric_command.h"
#include "cli/probes.h"
#include "cli/quantize_options.h"
#include "cli/run_options.h"
#include "cli/terminal.h"
#include "compare/checks.h"
#include "model/output_file.h"
#include "octavo/bench.h"
#include "octavo/error.h"
#include "report/trial.h"

namespace octavo::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string model;
  std::string output;
  RunOptions run;
  QuantizeFlags quantize;
  CompareFlags compare;
  GateFlags gate;
  double seconds = 2;
  bool json = false;
  std::string json_file;
  std::string html_file;
  std::string command;  // as typed
};

void check_outputs(const Options& o, const fs::path& out) {
  require_writable(o.model, out, o.quantize.force);
  if (!o.json_file.empty())
    require_writable(o.model, o.json_file, o.quantize.force);
}

// Before anything is made: an original that fails cannot be judged by.
void check_runs(Runner& original, const Batch& batch) {
  try {
    original.run(batch.feed);
  } catch (const Error& e) {
    throw Error(e.kind(), fmt::format("the original does not run on {}, so "
                                      "there is nothing to compare a copy "
                                      "with: {}",
                                      batch.name, e.what()));
  }
}

QuantizeContext quantize(const Options& o, const fs::path& out) {
  ProgressLine line;
  return quantize_checked(
      o.model, out, o.quantize, o.run, [&](uint64_t done, uint64_t all) {
        constexpr uint64_t kMiB = 1 << 20;
        line.show("writing", static_cast<int64_t>(done / kMiB),
                  static_cast<int64_t>(all / kMiB), "MiB");
      });
}

// The samples and labels again, for the command that a person tries next.
std::string sample_flags(const RunOptions& run, const CompareFlags& compare) {
  std::string out;
  const auto add = [&](const char* flag, const std::string& value) {
    if (!out.empty()) out += ' ';
    out += flag + (" " + shell_quoted(value));
  };
  for (const std::string& word : run_flags(run)) {
    if (!out.empty()) out += ' ';
    out += shell_quoted(word);
  }
  if (!compare.labels.empty()) add("--labels", compare.labels);
  if (!compare.label_output.empty())
    add("--label-output", compare.label_output);
  if (compare.layers) out += " --layers";
  if (compare.no_probes) out += " --no-probes";
  for (const std::string& m : compare.metrics) add("--metric", m);
  if (!compare.metric_command.empty())
    add("--metric-command", compare.metric_command);
  return out;
}

CompareResult compare_both(Runner& original, Runner& copy,
                           const SampleSource& samples, CompareOptions options,
                           const std::atomic<bool>& stop) {
  ProgressLine line;
  options.progress = [&](const CompareProgress& p) {
    line.show("comparing", p.samples_done, p.samples, "samples");
  };
  options.stop = &stop;
  return compare(original, copy, samples, options);
}

BenchResult time_both(Runner& original, Runner& copy,
                      const SampleSource& samples, double seconds,
                      const std::atomic<bool>& stop) {
  Contender both[] = {{"original", &original}, {"copy", &copy}};
  BenchOptions options;
  options.budget_seconds = seconds;
  options.stop = &stop;
  return bench(both, samples, options);
}

void write_report(const std::string& path, const std::string& text) {
  OutputFile file(path, text.size());
  file.write(0, std::as_bytes(std::span(text)));
  file.commit(false);
}

int run_trial(const Options& o) {
  const fs::path out = output_path(o.model, o.output);
  check_outputs(o, out);
  HtmlFile html(o.html_file);
  MetricCommand command(o.compare.metric_command);
  Gate gate(o.gate, true, !o.compare.no_probes, command.wanted());
  CompareOptions options = compare_options(o.compare);
  const auto runtime = load_runtime(runtime_options(o.run));
  const SessionOptions session = session_options(o.run);
  const auto original = open_session(runtime, o.model, session);
  const auto samples = open_samples(sample_spec(o.run), original->inputs());
  check_labels(*original, *samples, options);
  gate.check(*original, options);
  const Batch first = samples->batch(0);
  check_runs(*original, first);

  TrialReport report;
  report.quantized = quantize(o, out);
  warn_if_nothing(report.quantized.result.plan);
  const auto copy = open_session(runtime, out, session);
  const std::atomic<bool>& stop = catch_interrupt();
  if (command.wanted()) command.observe(options, *original, *copy);
  report.comparison = compare_both(*original, *copy, *samples, options, stop);
  if (command.wanted() && !report.comparison.partial)
    report.comparison.figures = command.run();
  if (!o.compare.no_probes && !report.comparison.partial)
    report.comparison.probes = probe(runtime, session, {o.model, *original},
                                     {out, *copy}, *samples, stop);
  if (!stop)
    report.latency = time_both(*original, *copy, *samples, o.seconds, stop);

  const QuantizeResult& quantized = report.quantized.result;
  report.context = compare_context(*runtime, o.run);
  report.context.original = o.model;
  report.context.copy = out.string();
  report.context.original_bytes = quantized.bytes_before;
  report.context.copy_bytes = quantized.bytes_after;
  gate.judge(
      report.comparison,
      {quantized.bytes_before, quantized.bytes_after,
       report.latency ? std::optional<double>(report.latency->pairs[0].ratio)
                      : std::nullopt});
  if (o.compare.layers)
    report.context.layers =
        measure_layers(runtime, session, o.model, out, *samples, stop);
  report.sample_flags = sample_flags(o.run, o.compare);
  report.files = {out.string()};
  if (quantized.written.external_bytes > 0)
    report.files.push_back(out.string() + ".data");
  for (const std::string& file :
       {o.gate.save_baseline, o.gate.junit, o.gate.markdown})
    if (!file.empty() && file != "-") report.files.push_back(file);
  if (!o.json_file.empty()) {
    report.files.push_back(o.json_file);
    write_report(o.json_file, json_text(trial_json(report)));
  }
  if (html.wanted()) {
    report.files.push_back(o.html_file);
    html.write(trial_report(report, o.command));
  }
  gate.write(report);
  print_result(o.json ? json_text(trial_json(report))
               : !gate.printed().empty()
                   ? gate.printed()
                   : trial_text(report, stdout_text_options()));
  return exit_code(report.comparison, stop);
}

}  // namespace

void add_trial(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "trial", "Quantize, compare and time: the whole recipe on your samples");
  const auto options = std::make_shared<Options>();
  command->add_option("model", options->model, "The model to quantize")
      ->required()
      ->type_name("MODEL");
  command
      ->add_option("-o,--output", options->output,
                   help("The copy (default: MODEL with .int8.onnx at its "
                        "end)"))
      ->type_name("FILE");
  command
      ->add_option("--seconds", options->seconds,
                   help("Time that the latency figure may take (default 2)"))
      ->check(CLI::Range(0.0, 3600.0).description(""))
      ->type_name("S");
  command->add_flag("--json", options->json, "Print one JSON document");
  command
      ->add_option("--json-file", options->json_file,
                   help("Write the JSON document here as well"))
      ->type_name("FILE");
  add_html_option(*command, options->html_file);
  add_run_options(*command, options->run);
  add_quantize_options(*command, options->quantize);
  add_compare_options(*command, options->compare);
  add_gate_options(*command, options->gate);
  command->callback([&action, options, command] {
    options->command = typed(*command);
    action = [options] { return run_trial(*options); };
  });
}

}  // namespace octavo::cli
