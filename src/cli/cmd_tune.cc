// `octavo tune`: the smallest or fastest copy that keeps a person's limits.
#include <fmt/format.h>

#include <memory>
#include <span>

#include "cli/command.h"
#include "cli/compare_options.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/quantize_options.h"
#include "cli/run_options.h"
#include "cli/scratch.h"
#include "cli/terminal.h"
#include "cli/time_flag.h"
#include "model/output_file.h"
#include "octavo/check.h"
#include "octavo/error.h"
#include "octavo/quantize.h"
#include "report/plan_json.h"
#include "report/tune_report.h"

namespace octavo::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string model;
  std::string output;
  RunOptions run;
  QuantizeFlags quantize;
  CompareFlags compare;
  std::vector<std::string> require;
  std::string tolerances;
  std::string goal = "size";
  std::string budget = "10m";
  std::string holdout = "30%";
  std::string state;
  bool no_state = false;
  std::string plan_file;
  bool json = false;
};

double share_of(const std::string& text) {
  const Limit limit = parse_limit("x <= " + text);
  if (!(limit.bound >= 0 && limit.bound <= 0.9))
    throw Error(ErrorKind::usage,
                fmt::format("--holdout is {}, but must be a share from 0 to "
                            "90%",
                            text));
  return limit.bound;
}

std::vector<Limit> limits_of(const Options& o) {
  std::vector<Limit> limits;
  for (const std::string& text : o.require) limits.push_back(parse_limit(text));
  if (!o.tolerances.empty())
    for (Limit& limit : load_limits(o.tolerances))
      limits.push_back(std::move(limit));
  return limits;
}

void write_plan(const std::string& path, const std::string& model,
                const Plan& plan) {
  const std::string text =
      json_text(plan_document(plan, model, fingerprint(open_model(model))));
  OutputFile file(path, text.size());
  file.write(0, std::as_bytes(std::span(text)));
  file.commit(false);
}

int run_tune(const Options& o) {
  const fs::path out = output_path(o.model, o.output);
  require_writable(o.model, out, o.quantize.force);
  if (!o.plan_file.empty())
    require_writable(o.model, o.plan_file, o.quantize.force);
  TuneOptions options;
  options.recipe = searchable_recipe(o.quantize, o.model);
  options.limits = limits_of(o);
  options.goal = o.goal == "latency" ? Goal::latency : Goal::size;
  options.budget_seconds = read_seconds("--budget", o.budget);
  options.holdout = share_of(o.holdout);
  options.seed = o.run.seed;
  options.compare = compare_options(o.compare);
  const auto runtime = load_runtime(runtime_options(o.run));
  options.session = session_options(o.run);
  std::unique_ptr<SampleSource> samples;
  {
    const auto original = open_session(runtime, o.model, options.session);
    samples = open_samples(sample_spec(o.run), original->inputs());
    check_limits(options.limits, original->outputs(),
                 options.compare.labels.has_value(), options.compare.metrics,
                 {"size.ratio", "size.copy", "speed.ratio"});
  }
  const Scratch scratch;
  options.scratch = scratch.path();
  if (!o.no_state)
    options.state = o.state.empty() ? out.string() + ".tune.json" : o.state;
  const std::atomic<bool>& stop = catch_interrupt();
  options.stop = &stop;
  options.found = [&](const Recipe& recipe) {
    QuantizeOptions quantize;
    quantize.recipe = recipe;
    quantize.write.check = [&](const Written& written) {
      check_loads(runtime, written, options.session);
    };
    quantize_file(o.model, out, quantize);
  };
  TuneResult result;
  {
    ProgressLine line;
    options.progress = [&](const std::string& what, int64_t done, int64_t all) {
      if (all > 0)
        line.show(what, done, all, "");
      else
        line.show(what, done, done + 1, "");
    };
    result = tune(runtime, o.model, *samples, options);
  }
  if (!o.plan_file.empty() && result.chosen > 0)
    write_plan(o.plan_file, o.model, result.plan);
  const TuneContext context{o.model,
                            out.string(),
                            samples->description(),
                            runtime_info(*runtime).version,
                            o.plan_file,
                            options.state.string()};
  print_result(o.json ? json_text(tune_json(result, context))
                      : tune_text(result, context, stdout_text_options()));
  if (result.partial) return kInterrupted;
  return result.met ? 0 : 1;
}

}  // namespace

void add_tune(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "tune", "Search for the smallest or fastest copy within your limits");
  const auto options = std::make_shared<Options>();
  command->add_option("model", options->model, "The model to quantize")
      ->required()
      ->type_name("MODEL");
  command
      ->add_option("-o,--output", options->output,
                   help("The best copy found (default: MODEL with .int8.onnx "
                        "at its end)"))
      ->type_name("FILE");
  command
      ->add_option("--require", options->require,
                   help("A limit such as 'accuracy.drop <= 0.5%' or "
                        "'*.cosine >= 0.999'; may be repeated"))
      ->allow_extra_args(false)
      ->type_name("EXPR");
  command
      ->add_option("--tolerances", options->tolerances,
                   help("A TOML file with such limits: require = [\"...\"]"))
      ->type_name("FILE");
  command
      ->add_option("--goal", options->goal,
                   help("What to gain within the limits: size (default) or "
                        "latency"))
      ->check(CLI::IsMember({"size", "latency"}).description(""))
      ->type_name("GOAL");
  command
      ->add_option("--budget", options->budget,
                   help("Time for the search, as 30s, 10m or 2h (default "
                        "10m)"))
      ->type_name("TIME");
  command
      ->add_option("--holdout", options->holdout,
                   help("Share of the samples that judge the winner and that "
                        "the search does not see (default 30%)"))
      ->type_name("SHARE");
  command
      ->add_option("--state", options->state,
                   help("Where what is known is kept, to be gone on from "
                        "(default: the copy's name with .tune.json)"))
      ->type_name("FILE");
  command->add_flag("--no-state", options->no_state, "Keep nothing");
  command
      ->add_option("--save-plan", options->plan_file,
                   help("Write the winner's plan, for octavo quantize --plan"))
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Print one JSON document");
  command->add_flag("-f,--force", options->quantize.force,
                    "Replace an existing output");
  add_run_options(*command, options->run);
  add_label_options(*command, options->compare);
  add_recipe_options(*command, options->quantize);
  command->callback([&action, options] {
    action = [options] { return run_tune(*options); };
  });
}

}  // namespace octavo::cli
