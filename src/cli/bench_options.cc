#include "cli/bench_options.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "cli/help.h"
#include "octavo/error.h"

namespace octavo::cli {
namespace {

struct Dim {
  std::string name;
  std::vector<int64_t> sizes;
};

Dim read_dim(const std::string& text) {
  const size_t at = text.rfind('=');
  Dim out;
  bool good = at != std::string::npos && at > 0;
  if (good) {
    out.name = text.substr(0, at);
    std::string_view rest = std::string_view(text).substr(at + 1);
    while (good) {
      int64_t size = 0;
      const auto parsed =
          std::from_chars(rest.data(), rest.data() + rest.size(), size);
      good = parsed.ec == std::errc() && size >= 0;
      out.sizes.push_back(size);
      rest.remove_prefix(static_cast<size_t>(parsed.ptr - rest.data()));
      if (rest.empty()) break;
      good = good && rest.front() == ',';
      rest.remove_prefix(1);
    }
  }
  if (!good)
    throw Error(ErrorKind::usage,
                fmt::format("--dim {} cannot be read; it is written --dim "
                            "NAME=SIZE or --dim NAME=SIZE,SIZE.",
                            text));
  return out;
}

}  // namespace

double read_share(const std::string& flag, const std::string& text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  const double factor = unit == "%" ? 0.01 : unit.empty() ? 1 : -1;
  if (error != std::errc() || factor < 0 || !(value >= 0) ||
      value * factor >= 1)
    throw Error(ErrorKind::usage,
                fmt::format("{} is '{}'; a share such as 2% or 0.02, below 1, "
                            "was expected",
                            flag, text));
  return value * factor;
}

std::vector<BenchSetting> bench_settings(const BenchFlags& flags) {
  std::vector<BenchSetting> out = {{flags.run, {}}};
  // Each flag multiplies what there is.
  const auto times = [&](size_t n, const auto& set) {
    std::vector<BenchSetting> all;
    for (const BenchSetting& one : out)
      for (size_t i = 0; i < n; ++i) set(all.emplace_back(one), i);
    out = std::move(all);
  };
  if (!flags.threads.empty())
    times(flags.threads.size(),
          [&](BenchSetting& s, size_t i) { s.run.threads = flags.threads[i]; });
  if (!flags.batch.empty())
    times(flags.batch.size(),
          [&](BenchSetting& s, size_t i) { s.run.batch = flags.batch[i]; });
  for (const std::string& text : flags.dim) {
    const Dim dim = read_dim(text);
    times(dim.sizes.size(), [&](BenchSetting& s, size_t i) {
      s.run.dim.push_back(fmt::format("{}={}", dim.name, dim.sizes[i]));
      s.dims.emplace_back(dim.name, dim.sizes[i]);
    });
  }
  return out;
}

void add_bench_options(CLI::App& app, BenchFlags& f) {
  app.add_option("model", f.models, "Models to time; the first is the base")
      ->required()
      ->type_name("MODEL");
  app.add_option("--until", f.until,
                 help("End once every ratio is known this well, as half "
                      "width of its 95 % interval (default 2%; 0: never)"))
      ->type_name("SHARE");
  app.add_option("--budget", f.budget,
                 help("Time that a setting may take (default 30s)"))
      ->type_name("TIME");
  app.add_option("--block", f.block,
                 help("Timed runs before it is another model's turn "
                      "(default: so that 40 rounds fit)"))
      ->check(CLI::Range(int64_t{1}, int64_t{100000}).description(""))
      ->type_name("N");
  app.add_option("--clients", f.clients,
                 help("Also call from this many threads at once: calls a "
                      "second, and latency under load"))
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N");
  app.add_flag("--ops", f.ops,
               help("Also say where the time goes: by operator and by layer, "
                    "and which layers to leave float"));
  app.add_flag("--spin", f.spin,
               "Idle threads of the runtime burn time waiting for work");
  app.add_flag("--no-memory", f.no_memory,
               "Start no process a model to measure its memory");
  app.add_flag("--json", f.json, "Print one JSON document");
  add_run_options(app, f.run);
  // Three of these take lists here.
  for (const char* name : {"--threads", "--batch", "--dim"})
    app.remove_option(app.get_option(name));
  const char* group = "Several settings, every combination of them";
  app.add_option("--threads", f.threads,
                 help("Threads of the runtime (default: one a core)"))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N,...")
      ->group(group);
  app.add_option("--batch", f.batch, help("Samples a batch (default 1)"))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N,...")
      ->group(group);
  app.add_option("--dim", f.dim,
                 help("Size of an open dimension for --random, by its name "
                      "or as INPUT:AXIS; may be repeated"))
      ->allow_extra_args(false)
      ->type_name("NAME=SIZE,...")
      ->group(group);
}

}  // namespace octavo::cli
