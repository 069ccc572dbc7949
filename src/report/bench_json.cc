#include "report/bench_report.h"
#include "report/machine_json.h"

namespace octavo {
namespace {

template <typename T>
Json optional_json(const std::optional<T>& v) {
  return v ? Json(*v) : Json(nullptr);
}

Json machine_json(const BenchReport& r) {
  Json j;
  j["cpu"] = cpu_json(r.machine.cpu);
  j["governor"] =
      r.machine.governor.empty() ? Json(nullptr) : Json(r.machine.governor);
  j["load"] = optional_json(r.machine.load);
  j["quota_cores"] = optional_json(r.machine.quota_cores);
  j["used_by_others"] = optional_json(r.use.others);
  j["stolen"] = optional_json(r.use.stolen);
  j["times_too_hot"] = optional_json(r.use.hot);
  j["times_held_by_quota"] = optional_json(r.use.held);
  j["octavo_build"] = r.machine.build;
  return j;
}

Json model_json(const BenchModel& m) {
  Json j;
  j["path"] = m.path;
  j["file_bytes"] = m.file_bytes;
  j["weight_bytes"] = m.weight_bytes;
  j["memory"] = nullptr;
  if (m.memory)
    j["memory"] = {{"runtime", m.memory->runtime},
                   {"loaded", m.memory->loaded},
                   {"steady", m.memory->steady},
                   {"peak", m.memory->peak}};
  return j;
}

Json summary_json(const TimeSummary& s) {
  return {{"runs", s.runs},     {"least", s.least}, {"p10", s.p10},
          {"median", s.median}, {"p90", s.p90},     {"p95", s.p95},
          {"p99", s.p99},       {"most", s.most},   {"mad", s.mad}};
}

Json interval_json(const Interval& i) {
  return {json_number(i.low), json_number(i.high)};
}

Json cell_json(const BenchCell& cell) {
  const BenchResult& r = cell.result;
  Json j;
  j["threads"] = cell.threads;
  j["batch"] = cell.batch;
  j["dims"] = Json::object();
  for (const auto& [name, size] : cell.dims) j["dims"][name] = size;
  j["samples"] = cell.samples;
  j["batches_used"] = r.batches;
  j["samples_used"] = r.samples;
  j["rounds"] = r.rounds;
  j["runs_per_block"] = r.block_runs;
  j["seconds"] = r.seconds;
  j["ended_by"] = r.ended_by;
  j["models"] = Json::array();
  for (size_t i = 0; i < r.contenders.size(); ++i) {
    const ContenderTimes& c = r.contenders[i];
    Json m;
    m["model"] = c.name;
    m["load_seconds"] = cell.load_seconds[i];
    m["first_run_ns"] = c.first_run;
    m["ns"] = summary_json(c.summary);
    m["samples_per_second"] = static_cast<double>(r.samples) /
                              static_cast<double>(r.batches) /
                              c.summary.median * 1e9;
    m["blocks_ns"] = c.blocks;
    j["models"].push_back(std::move(m));
  }
  j["pairs"] = Json::array();
  for (const PairRatio& p : r.pairs)
    j["pairs"].push_back({{"model", r.contenders[p.b].name},
                          {"against", r.contenders[p.a].name},
                          {"speed_ratio", json_number(p.ratio)},
                          {"interval_95", interval_json(p.interval_95)},
                          {"interval_99", interval_json(p.interval_99)},
                          {"outcome", outcome_name(p.outcome)}});
  j["clients"] = nullptr;
  if (!cell.load.empty()) {
    j["clients"] = {{"number", cell.clients}, {"models", Json::array()}};
    for (const LoadTimes& l : cell.load)
      j["clients"]["models"].push_back(
          {{"model", l.name},
           {"calls_per_second", l.calls_per_second},
           {"calls_per_second_by_slice", l.rates},
           {"ns", summary_json(l.latency)}});
  }
  return j;
}

}  // namespace

Json bench_json(const BenchReport& r) {
  Json j;
  j["schema"] = "octavo.bench/1";
  j["machine"] = machine_json(r);
  j["runtime"] = runtime_json(r.runtime);
  j["runtime"]["spin"] = r.runtime.spin;
  j["runtime"]["build"] = r.runtime.build;
  j["warnings"] = r.warnings;
  j["models"] = Json::array();
  for (const BenchModel& m : r.models) j["models"].push_back(model_json(m));
  j["settings"] = Json::array();
  for (const BenchCell& c : r.cells) j["settings"].push_back(cell_json(c));
  j["ops"] = Json::array();
  for (size_t i = 0; i < r.ops.size(); ++i) {
    Json one = {{"model", r.models[i + 1].path}, {"against", r.models[0].path}};
    one.update(ops_json(r.ops[i]));
    j["ops"].push_back(std::move(one));
  }
  return j;
}

}  // namespace octavo
