// Where the time goes: the tables by operator and by layer, and the nodes that
// are better left float.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/bench_report.h"
#include "report/table.h"
#include "report/trial.h"
#include "report/units.h"
#include "report/wrap.h"

namespace octavo {
namespace {

constexpr size_t kMostRows = 20;

std::string time_text(double ns) {
  return ns > 0 ? duration_text(ns / 1e9) : std::string("-");
}

std::string operators_table(const OpsResult& o, const TextOptions& options) {
  Table t;
  t.columns = {{"operator", Align::left, true}};
  for (const char* title :
       {"original", "share", "nodes", "copy", "share", "nodes"})
    t.columns.push_back({title, Align::right});
  const auto side = [&](std::vector<std::string>& row, double ns, double all,
                        int64_t nodes) {
    row.push_back(time_text(ns));
    row.push_back(nodes > 0 && all > 0 ? percent_text(ns / all, 1) : "");
    row.push_back(nodes > 0 ? count_text(nodes) : "");
  };
  for (const OperatorTime& op : o.operators) {
    if (t.rows.size() == kMostRows) break;
    std::vector<std::string> row = {op.op};
    side(row, op.original_ns, o.original_ns, op.original_nodes);
    side(row, op.copy_ns, o.copy_ns, op.copy_nodes);
    t.rows.push_back(std::move(row));
  }
  return table_text(t, {options.width, 2, options.colour});
}

std::string outcome_text(const LayerTime& l) {
  return l.outcome == Outcome::no_difference ? "" : outcome_name(l.outcome);
}

std::string layers_table(const OpsResult& o, const TextOptions& options) {
  Table t;
  t.columns = {{"layer", Align::left, true}, {"copy's main kernel"}};
  for (const char* title : {"original", "copy", "of all"})
    t.columns.push_back({title, Align::right});
  t.columns.push_back({""});
  for (size_t i = 0; i < o.layers.size(); ++i) {
    const LayerTime& l = o.layers[i];
    const bool rest = l.name.empty();
    if (i >= kMostRows && !rest) continue;
    std::string kernels = l.after.substr(0, l.after.find(','));
    t.rows.push_back({rest ? "all else" : l.name, rest ? "" : kernels,
                      time_text(l.original_ns), time_text(l.copy_ns),
                      fmt::format("{:+.1f} %", 100 * l.share_of_gain),
                      outcome_text(l)});
  }
  std::string out = table_text(t, {options.width, 2, options.colour});
  if (o.layers.size() > kMostRows + 1)
    out += fmt::format(
        "  and {} with less change (all with --json)\n",
        count_noun(static_cast<int64_t>(o.layers.size() - kMostRows - 1),
                   "layer"));
  return out;
}

// A node's name as a pattern that matches it: what a pattern reads in another
// way becomes "any character".
std::string pattern_of(std::string name) {
  std::replace(name.begin(), name.end(), '*', '?');
  if (name.size() > 1 && name.front() == '/' && name.back() == '/')
    name.front() = '?';
  return name;
}

}  // namespace

std::string ops_text(const BenchReport& r, size_t copy,
                     const TextOptions& options) {
  const OpsResult& o = r.ops.at(copy - 1);
  const int width = options.width;
  std::string out = wrap_text(
      fmt::format("Where the time goes: {} beside {}; kernels of a run, {} of "
                  "each profiled",
                  shown_names(r)[copy], shown_names(r)[0],
                  count_noun(o.runs, "run")),
      width);
  out += wrap_text(fmt::format("all kernels: {} -> {}; \"of all\": + of what "
                               "was gained, - of what was lost",
                               time_text(o.original_ns), time_text(o.copy_ns)),
                   width, "  ");
  out += "\n" + operators_table(o, options);
  out += "\n" + layers_table(o, options) + "\n";
  if (o.leave_float.empty())
    return out + wrap_text(
                     "No quantized layer lost surely: there is nothing to "
                     "leave float for speed.",
                     width);
  out += wrap_text(
      fmt::format("Leave {} float: quantizing made {} slower. The flags for "
                  "octavo quantize:",
                  count_noun(std::ssize(o.leave_float), "node"),
                  o.leave_float.size() == 1 ? "it" : "them"),
      width);
  for (const std::string& node : o.leave_float)
    out += fmt::format("  --exclude {}{}\n", shell_quoted(pattern_of(node)),
                       &node == &o.leave_float.back() ? "" : " \\");
  return out;
}

Json ops_json(const OpsResult& o) {
  Json j;
  j["rounds"] = o.rounds;
  j["runs"] = o.runs;
  j["original_ns"] = o.original_ns;
  j["copy_ns"] = o.copy_ns;
  j["unpaired_ns"] = o.unpaired_ns;
  j["operators"] = Json::array();
  for (const OperatorTime& op : o.operators)
    j["operators"].push_back({{"operator", op.op},
                              {"original_ns", op.original_ns},
                              {"original_nodes", op.original_nodes},
                              {"copy_ns", op.copy_ns},
                              {"copy_nodes", op.copy_nodes}});
  j["layers"] = Json::array();
  for (const LayerTime& l : o.layers)
    j["layers"].push_back(
        {{"layer", l.name.empty() ? Json(nullptr) : Json(l.name)},
         {"quantized_nodes", l.nodes},
         {"original_operators", l.before},
         {"copy_kernels", l.after},
         {"original_ns", l.original_ns},
         {"copy_ns", l.copy_ns},
         {"outcome", outcome_name(l.outcome)},
         {"interval_95",
          {json_number(l.interval_95.low), json_number(l.interval_95.high)}},
         {"share_of_gain_or_loss", l.share_of_gain}});
  j["leave_float"] = o.leave_float;
  j["exclude"] = Json::array();
  for (const std::string& node : o.leave_float)
    j["exclude"].push_back(pattern_of(node));
  return j;
}

}  // namespace octavo
