#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "report/bench_report.h"
#include "report/table.h"
#include "report/units.h"
#include "report/wrap.h"

namespace octavo {
namespace {

std::string label(const char* name) { return fmt::format("{:<9}", name); }
std::string time_text(double ns) { return duration_text(ns / 1e9); }

using Names = std::vector<std::string>;

std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f} %", 100 * *share)
               : std::string("an unknown share");
}

std::string machine_text(const BenchReport& r, int width) {
  const Machine& m = r.machine;
  std::string features;
  for (const auto& [name, has] : cpu_features(m.cpu))
    if (has) features += (features.empty() ? "" : ", ") + name;
  std::string out = wrap_text(
      fmt::format("{}, {}; {}", m.cpu.model,
                  count_noun(m.cpu.physical_cores, "core"),
                  features.empty() ? "no 8-bit instructions" : features),
      width, label("CPU"));
  std::string state =
      fmt::format("others used {} of it and its host took {}; governor {}",
                  share_text(r.use.others), share_text(r.use.stolen),
                  m.governor.empty() ? "unknown" : m.governor);
  if (m.load) state = fmt::format("load {:.2f}; ", *m.load) + state;
  out += wrap_text(state, width, label("Machine"));
  const std::string build = build_type(r.runtime);
  out += wrap_text(
      fmt::format("ONNX Runtime {}{}, {}; octavo: {} build", r.runtime.version,
                  build.empty() ? "" : " (" + build + ")",
                  r.runtime.spin ? "idle threads spin" : "idle threads sleep",
                  m.build),
      width, label("Runtime"));
  out += wrap_text(r.runtime.library.string(), width, label(""));
  for (const std::string& warning : r.warnings)
    out += wrap_text(warning, width, label("Warning"));
  return out;
}

std::string setting_text(const BenchCell& cell) {
  std::string out = fmt::format("{}, batch {}",
                                count_noun(cell.threads, "thread"), cell.batch);
  for (const auto& [name, size] : cell.dims)
    out += fmt::format(", {}={}", name, size);
  return out;
}

std::string ended_text(const BenchResult& r) {
  if (r.ended_by == "precision") return "precise enough";
  if (r.ended_by == "rounds") return "more would tell no more";
  if (r.ended_by == "stopped") return "stopped";
  return "the budget is spent";
}

std::string cell_head(const BenchCell& cell, int width) {
  const BenchResult& r = cell.result;
  return wrap_text(cell.samples, width, label("Samples")) +
         wrap_text(setting_text(cell), width, label("Setting")) +
         wrap_text(
             fmt::format("{} of {} for each model in {}; {}",
                         count_noun(static_cast<int64_t>(r.rounds), "round"),
                         count_noun(r.block_runs, "run"),
                         duration_text(r.seconds), ended_text(r)),
             width, label("Timing"));
}

double samples_per_second(const BenchResult& r, const ContenderTimes& c) {
  return static_cast<double>(r.samples) / static_cast<double>(r.batches) /
         c.summary.median * 1e9;
}

std::string times_table(const BenchCell& cell, const Names& names,
                        const TextOptions& options) {
  Table t;
  t.columns = {{"model", Align::left, true}};
  for (const char* title :
       {"median", "MAD", "p10", "p90", "p95", "p99", "per s"})
    t.columns.push_back({title, Align::right});
  for (size_t i = 0; i < names.size(); ++i) {
    const ContenderTimes& c = cell.result.contenders[i];
    const TimeSummary& s = c.summary;
    std::vector<std::string> row = {names[i]};
    for (const double ns : {s.median, s.mad, s.p10, s.p90, s.p95, s.p99})
      row.push_back(time_text(ns));
    row.push_back(significant(samples_per_second(cell.result, c)));
    t.rows.push_back(std::move(row));
  }
  return table_text(t, {options.width, 2, options.colour});
}

std::string pairs_text(const BenchResult& r, const Names& names, int width) {
  std::string out;
  for (const PairRatio& p : r.pairs) {
    std::string line =
        fmt::format("{} against {}: {}, {:.3f} x the speed", names[p.b],
                    names[p.a], outcome_name(p.outcome), p.ratio);
    if (p.outcome != Outcome::too_few)
      line += fmt::format(" (95 %: {:.3f} to {:.3f})", p.interval_95.low,
                          p.interval_95.high);
    out += wrap_text(line, width, "");
  }
  return out;
}

std::string load_table(const BenchCell& cell, const Names& names,
                       const TextOptions& options) {
  Table t;
  t.columns = {{"model", Align::left, true}, {"calls/s", Align::right}};
  for (const char* title : {"median", "p90", "p95", "p99", "most"})
    t.columns.push_back({title, Align::right});
  for (size_t i = 0; i < names.size(); ++i) {
    const LoadTimes& l = cell.load[i];
    const TimeSummary& s = l.latency;
    t.rows.push_back({names[i], significant(l.calls_per_second)});
    for (const double ns : {s.median, s.p90, s.p95, s.p99, s.most})
      t.rows.back().push_back(time_text(ns));
  }
  return fmt::format("\nWith {} at once\n",
                     count_noun(cell.clients, "client")) +
         table_text(t, {options.width, 2, options.colour});
}

std::string models_table(const BenchReport& r, const TextOptions& options) {
  Table t;
  t.columns = {{"model", Align::left, true}};
  for (const char* title :
       {"file", "weights", "load", "first run", "steady", "peak"})
    t.columns.push_back({title, Align::right});
  const BenchCell& cell = r.cells[0];
  const Names names = shown_names(r);
  for (size_t i = 0; i < r.models.size(); ++i) {
    const BenchModel& m = r.models[i];
    const auto memory = [&](int64_t MemoryUse::* part) {
      return m.memory ? bytes_text(static_cast<uint64_t>((*m.memory).*part))
                      : std::string("-");
    };
    t.rows.push_back(
        {names[i], bytes_text(static_cast<uint64_t>(m.file_bytes)),
         bytes_text(static_cast<uint64_t>(m.weight_bytes)),
         duration_text(cell.load_seconds[i]),
         time_text(static_cast<double>(cell.result.contenders[i].first_run)),
         memory(&MemoryUse::steady), memory(&MemoryUse::peak)});
  }
  return table_text(t, {options.width, 2, options.colour});
}

// One line a setting and model.
std::string matrix_table(const BenchReport& r, const TextOptions& options) {
  Table t;
  t.columns = {{"threads", Align::right}, {"batch", Align::right}};
  for (const auto& [name, size] : r.cells[0].dims)
    t.columns.push_back({name, Align::right});
  t.columns.push_back({"model", Align::left, true});
  for (const char* title : {"median", "per s", "ratio", "95 %"})
    t.columns.push_back({title, Align::right});
  t.columns.push_back({"", Align::left});
  if (r.cells[0].clients > 0)
    t.columns.insert(t.columns.end() - 1, {"calls/s", Align::right});
  const Names names = shown_names(r);
  for (const BenchCell& cell : r.cells)
    for (size_t i = 0; i < cell.result.contenders.size(); ++i) {
      const ContenderTimes& c = cell.result.contenders[i];
      std::vector<std::string> row = {fmt::format("{}", cell.threads),
                                      fmt::format("{}", cell.batch)};
      for (const auto& [name, size] : cell.dims)
        row.push_back(fmt::format("{}", size));
      row.push_back(names[i]);
      row.push_back(time_text(c.summary.median));
      row.push_back(significant(samples_per_second(cell.result, c)));
      // The pairs (0, i) come first.
      const PairRatio* p = i > 0 ? &cell.result.pairs[i - 1] : nullptr;
      row.push_back(p ? fmt::format("{:.2f}", p->ratio) : "");
      row.push_back(p && p->outcome != Outcome::too_few
                        ? fmt::format("{:.2f}-{:.2f}", p->interval_95.low,
                                      p->interval_95.high)
                        : "");
      if (cell.clients > 0)
        row.push_back(significant(cell.load[i].calls_per_second));
      row.push_back(!p ? ""
                    : p->outcome == Outcome::no_difference
                        ? "none shown"
                        : outcome_name(p->outcome));
      t.rows.push_back(std::move(row));
    }
  return table_text(t, {options.width, 0, options.colour});
}

}  // namespace

Names shown_names(const BenchReport& r) {
  Names paths, files;
  for (const BenchModel& m : r.models) {
    paths.push_back(m.path);
    files.push_back(std::filesystem::path(m.path).filename().string());
  }
  const std::set<std::string> unique(files.begin(), files.end());
  return unique.size() == files.size() ? files : paths;
}

std::string bench_text(const BenchReport& r, const TextOptions& options) {
  const int width = options.width;
  std::string out = machine_text(r, width);
  if (r.cells.size() > 1) {
    out += "\n" + matrix_table(r, options);
    out += "\n" + models_table(r, options);
    for (size_t i = 0; i < r.ops.size(); ++i)
      out += "\n" + ops_text(r, i + 1, options);
    return out;
  }
  const BenchCell& cell = r.cells[0];
  const Names names = shown_names(r);
  out += cell_head(cell, width);
  out += "\n" + times_table(cell, names, options);
  out += "\n" + models_table(r, options);
  if (!cell.load.empty()) out += load_table(cell, names, options);
  for (size_t i = 0; i < r.ops.size(); ++i)
    out += "\n" + ops_text(r, i + 1, options);
  if (!cell.result.pairs.empty())
    out += "\n" + pairs_text(cell.result, names, width);
  return out;
}

}  // namespace octavo
