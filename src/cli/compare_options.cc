#include "cli/compare_options.h"

#include <algorithm>
#include <charconv>

#include "cli/help.h"
#include "cli/interrupt.h"
#include "compare/checks.h"
#include "octavo/error.h"
#include "octavo/samples.h"

namespace octavo::cli {
namespace {
constexpr const char* kLabels = "Labels";
}

void add_label_options(CLI::App& app, CompareFlags& flags) {
  app.add_option(
         "--labels", flags.labels,
         help("The right answer of every sample, classes or values: .npy, "
              ".npz, .pb, .txt (a line each), .csv (a column)"))
      ->type_name("FILE[:KEY]")
      ->group(kLabels);
  app.add_option(
         "--label-output", flags.label_output,
         help("The output that they speak of (default: the first that the "
              "metric can read)"))
      ->type_name("NAME")
      ->group(kLabels);
  app.add_option("--metric", flags.metrics,
                 help("accuracy, top-K, f1-macro, f1-micro, auc, mae, rmse, "
                      "r2, perplexity or cosine-retrieval; may be repeated "
                      "(default: accuracy, or mae and rmse for values)"))
      ->allow_extra_args(false)
      ->type_name("NAME")
      ->group(kLabels);
}

void add_compare_options(CLI::App& app, CompareFlags& flags) {
  add_label_options(app, flags);
  app.add_flag("--layers", flags.layers,
               help("Measure each quantized layer, too: its own error, and "
                    "that in the copy"));
  const char* outputs = "Outputs";
  app.add_option("--map", flags.map,
                 help("The original's output A belongs to the copy's B; may "
                      "be repeated (default: by name, then by position)"))
      ->allow_extra_args(false)
      ->type_name("A=B")
      ->group(outputs);
  app.add_option("--match", flags.match,
                 help("Compare an output as sets: iou:0.5 for boxes [x1,y1,"
                      "x2,y2], cosine:0.9 for vectors; OUTPUT=iou:0.5 for one "
                      "output; may be repeated"))
      ->allow_extra_args(false)
      ->type_name("[OUTPUT=]KIND")
      ->group(outputs);
  app.add_option("--atol", flags.atol,
                 help("Count elements apart by more than this and --rtol "
                      "allow: |r - c| > atol + rtol |r|"))
      ->type_name("X")
      ->group(outputs);
  app.add_option("--rtol", flags.rtol, "See --atol")
      ->type_name("X")
      ->group(outputs);
  app.add_option("--axis", flags.axis,
                 help("Look at each channel along this axis, too; -1 is the "
                      "last one"))
      ->type_name("N")
      ->group(outputs);
  app.add_option("--scores", flags.scores,
                 help("What the last axis holds: auto (default), logits, "
                      "probabilities or none; for KL divergence and "
                      "agreement of the best"))
      ->check(CLI::IsMember({"auto", "logits", "probabilities", "none"})
                  .description(""))
      ->type_name("KIND")
      ->group(outputs);
  app.add_flag("--no-probes", flags.no_probes,
               help("Leave out the probes: batch mates, padding, repetition, "
                    "threads, optimizations"));
  app.add_option("--metric-command", flags.metric_command,
                 help("A program of your own: it gets the paths of two .npz "
                      "with both models' outputs and prints a number or JSON"))
      ->type_name("CMD")
      ->group(kLabels);
  add_tolerance_options(app, flags);
}

void add_tolerance_options(CLI::App& app, CompareFlags& flags) {
  const char* tolerances =
      "Tolerances (none by default: no threshold is universal; your task, its "
      "labels and the costs of a wrong answer set it)";
  app.add_option("--max-abs", flags.max_abs,
                 help("Largest absolute difference of any element"))
      ->type_name("X")
      ->group(tolerances);
  app.add_option("--min-cosine", flags.min_cosine,
                 help("Least cosine of every floating output"))
      ->type_name("X")
      ->group(tolerances);
  app.add_option("--max-drop", flags.max_drop,
                 help("Largest loss of accuracy, in percentage points; needs "
                      "--labels"))
      ->type_name("POINTS")
      ->group(tolerances);
  app.add_option("--max-flips", flags.max_flips,
                 help("Largest share of samples whose answer changes; needs "
                      "--labels"))
      ->type_name("PERCENT")
      ->group(tolerances);
}

namespace {

// "boxes=iou:0.5", "iou", "cosine:0.9".
MatchSpec match_of(const std::string& text) {
  MatchSpec spec;
  const size_t equals = text.rfind('=');
  if (equals != std::string::npos) spec.output = text.substr(0, equals);
  std::string kind =
      equals == std::string::npos ? text : text.substr(equals + 1);
  std::string least;
  if (const size_t colon = kind.find(':'); colon != std::string::npos) {
    least = kind.substr(colon + 1);
    kind.resize(colon);
  }
  bool good = kind == "iou" || kind == "cosine";
  spec.kind = kind == "cosine" ? MatchKind::cosine : MatchKind::iou;
  if (spec.kind == MatchKind::cosine) spec.least = 0.9;
  if (!least.empty()) {
    const auto [end, error] =
        std::from_chars(least.data(), least.data() + least.size(), spec.least);
    good = good && error == std::errc() && end == least.data() + least.size() &&
           spec.least >= -1 && spec.least <= 1;
  }
  if (!good || (equals != std::string::npos && spec.output.empty()))
    throw Error(ErrorKind::usage,
                "--match is '" + text +
                    "'; iou:0.5, cosine:0.9 or OUTPUT=iou:0.5 was expected");
  return spec;
}

}  // namespace

CompareOptions compare_options(const CompareFlags& flags) {
  CompareOptions options;
  if (!flags.labels.empty()) options.labels = load_labels(flags.labels);
  if (flags.labels.empty() && !flags.label_output.empty())
    throw Error(ErrorKind::usage,
                "--label-output names the scores that labels speak of; give "
                "--labels FILE too");
  if (flags.labels.empty() && !flags.metrics.empty())
    throw Error(ErrorKind::usage,
                "--metric needs right answers; give --labels FILE too");
  options.label_output = flags.label_output;
  for (const std::string& name : flags.metrics) {
    const MetricSpec spec = parse_metric(name);
    if (std::find(options.metrics.begin(), options.metrics.end(), spec) ==
        options.metrics.end())
      options.metrics.push_back(spec);
  }
  for (const std::string& pair : flags.map) {
    const size_t at = pair.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == pair.size())
      throw Error(ErrorKind::usage,
                  "--map is '" + pair +
                      "'; A=B was expected, the original's output and the "
                      "copy's");
    options.map.emplace_back(pair.substr(0, at), pair.substr(at + 1));
  }
  for (const std::string& text : flags.match)
    options.matches.push_back(match_of(text));
  for (const auto& [flag, value] :
       {std::pair("--atol", flags.atol), std::pair("--rtol", flags.rtol)})
    if (value && !(*value >= 0))
      throw Error(ErrorKind::usage,
                  std::string(flag) + " must be a number not below 0");
  options.views = {flags.atol, flags.rtol, flags.axis,
                   flags.scores == "logits"          ? Scores::logits
                   : flags.scores == "probabilities" ? Scores::probabilities
                   : flags.scores == "none"          ? Scores::none
                                                     : Scores::automatic};
  options.tolerances = {flags.max_abs, flags.min_cosine, flags.max_drop,
                        flags.max_flips};
  check_tolerances(options);
  return options;
}

int exit_code(const CompareResult& result, bool stopped) {
  if (stopped) return kInterrupted;
  return result.verdict() == Verdict::outside ? 1 : 0;
}

CompareContext compare_context(const Runtime& runtime, const RunOptions& run) {
  const RuntimeInfo& info = runtime_info(runtime);
  CompareContext context;
  context.runtime_version = info.version;
  context.runtime_library = info.library.string();
  context.providers = run.provider;
  if (context.providers.empty()) context.providers = {"CPU"};
  context.threads = info.threads;
  return context;
}

}  // namespace octavo::cli
