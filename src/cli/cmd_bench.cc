// `octavo bench`: times models beside each other, and says what is faster.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "cli/bench_memory.h"
#include "cli/bench_options.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/scratch.h"
#include "cli/terminal.h"
#include "cli/time_flag.h"
#include "octavo/bench.h"
#include "octavo/error.h"
#include "octavo/inspect.h"
#include "octavo/model.h"
#include "report/bench_report.h"

namespace octavo::cli {
namespace {

struct Opened {
  std::vector<std::unique_ptr<Runner>> runners;
  std::vector<Contender> contenders;
  std::vector<double> load_seconds;
};

Opened open_all(const std::shared_ptr<Runtime>& runtime, const BenchFlags& f,
                const RunOptions& run) {
  Opened out;
  for (const std::string& model : f.models) {
    const int64_t begin = steady_clock().now();
    out.runners.push_back(open_session(runtime, model, session_options(run)));
    out.load_seconds.push_back(
        static_cast<double>(steady_clock().now() - begin) / 1e9);
    out.contenders.push_back({model, out.runners.back().get()});
  }
  return out;
}

// Before anything is timed, so that the message says which model it is.
void check_runs(const Opened& models, const SampleSource& samples) {
  const Batch batch = samples.batch(0);
  for (const Contender& c : models.contenders) try {
      c.runner->run(batch.feed);
    } catch (const Error& e) {
      throw Error(e.kind(), fmt::format("'{}' does not run on {}: {}", c.name,
                                        batch.name, e.what()));
    }
}

BenchCell measure(const BenchFlags& f, const BenchSetting& setting,
                  BenchReport& report, const std::atomic<bool>& stop) {
  RuntimeOptions settings = runtime_options(setting.run);
  settings.spin = f.spin;
  // One pool of threads for all models of the setting.
  const auto runtime = load_runtime(settings);
  report.runtime = runtime_info(*runtime);
  Opened models = open_all(runtime, f, setting.run);
  const auto samples =
      open_samples(sample_spec(setting.run), models.runners[0]->inputs());
  check_runs(models, *samples);

  BenchCell cell;
  cell.threads = report.runtime.threads;
  cell.batch = setting.run.batch;
  cell.dims = setting.dims;
  cell.samples = samples->description();
  cell.load_seconds = models.load_seconds;
  cell.clients = f.clients;
  BenchOptions options;
  options.budget_seconds = read_seconds("--budget", f.budget);
  options.until = read_share("--until", f.until);
  options.block_runs = f.block;
  options.seed = setting.run.seed + 1;
  options.stop = &stop;
  ProgressLine line;
  options.progress = [&](const BenchProgress& p) {
    line.show("timing", static_cast<int64_t>(p.seconds),
              static_cast<int64_t>(p.budget_seconds), "s at most");
  };
  cell.result = bench(models.contenders, *samples, options);
  line.clear();
  if (f.clients > 0 && !stop) {
    LoadOptions load;
    load.clients = f.clients;
    load.budget_seconds = std::min(10.0, options.budget_seconds);
    load.seed = options.seed;
    load.stop = &stop;
    cell.load = bench_load(models.contenders, *samples, load);
  }
  return cell;
}

// Every model but the first beside the first.
void profile_all(const BenchFlags& f, const BenchSetting& setting,
                 BenchReport& report, const std::atomic<bool>& stop) {
  RuntimeOptions settings = runtime_options(setting.run);
  settings.spin = f.spin;
  const auto runtime = load_runtime(settings);
  const SessionOptions session = session_options(setting.run);
  const auto samples =
      open_samples(sample_spec(setting.run),
                   open_session(runtime, f.models[0], session)->inputs());
  for (size_t i = 1; i < f.models.size() && !stop; ++i) {
    const Scratch scratch;
    OpsOptions options;
    options.budget_seconds =
        std::min(options.budget_seconds, read_seconds("--budget", f.budget));
    options.seed = setting.run.seed + 1;
    options.scratch = scratch.path();
    options.stop = &stop;
    report.ops.push_back(profile_ops(runtime, f.models[0], f.models[i], session,
                                     *samples, options));
  }
}

BenchModel facts(const std::string& path, const BenchFlags& f,
                 const RunOptions& run) {
  BenchModel out;
  out.path = path;
  const Inspection found = inspect(open_model(path));
  out.file_bytes = found.file_bytes;
  out.weight_bytes = found.weight_bytes;
  if (!f.no_memory) out.memory = measure_memory(path, run, f.spin);
  return out;
}

int run_bench(const BenchFlags& f) {
  read_seconds("--budget", f.budget);
  read_share("--until", f.until);
  if (f.ops && f.models.size() < 2)
    throw Error(ErrorKind::usage,
                "--ops compares models; name two, the original first.");
  const std::vector<BenchSetting> settings = bench_settings(f);
  const std::atomic<bool>& stop = catch_interrupt();
  BenchReport report;
  report.machine = machine();
  for (const std::string& model : f.models)
    report.models.push_back(facts(model, f, settings[0].run));
  const MachineState before = machine_state();
  int most_threads = 1;
  for (const BenchSetting& setting : settings) {
    report.cells.push_back(measure(f, setting, report, stop));
    most_threads = std::max(most_threads, report.cells.back().threads);
    if (stop) break;
  }
  if (f.ops && !stop) profile_all(f, settings[0], report, stop);
  report.use = machine_use(before, machine_state());
  report.warnings = machine_warnings(report.machine, report.use, report.runtime,
                                     most_threads);
  print_result(f.json ? json_text(bench_json(report))
                      : bench_text(report, stdout_text_options()));
  return stop ? kInterrupted : 0;
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "bench", "Time models beside each other: which is faster, how surely");
  const auto flags = std::make_shared<BenchFlags>();
  add_bench_options(*command, *flags);
  command->callback(
      [&action, flags] { action = [flags] { return run_bench(*flags); }; });
}

}  // namespace octavo::cli
