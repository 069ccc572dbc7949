#include "report/quantize_text.h"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <vector>

#include "report/table.h"
#include "report/units.h"
#include "report/wrap.h"

namespace octavo {
namespace {

struct Row {
  int64_t nodes = 0, before = 0, after = 0;
};

// A reason without what differs from node to node.
std::string kind_of(const std::string& reason) {
  std::string kind;
  bool quoted = false;
  for (const char ch : reason) {
    if (ch == '\'') quoted = !quoted;
    if (!quoted && (ch < '0' || ch > '9')) kind += ch;
  }
  return kind;
}

std::string bytes_pair(int64_t before, int64_t after) {
  return fmt::format("{} -> {}", bytes_text(static_cast<uint64_t>(before)),
                     bytes_text(static_cast<uint64_t>(after)));
}

std::string nodes_text(const Plan& plan, size_t most,
                       const TextOptions& options) {
  Table table;
  table.columns = {{"node", Align::left, true},
                   {"operator"},
                   {"becomes"},
                   {"weights", Align::right}};
  for (const Decision& d : plan.decisions) {
    if (table.rows.size() == most) break;
    std::string name = d.node.empty() ? "(unnamed)" : d.node;
    if (!d.scope.empty()) name = d.scope + " / " + name;
    table.rows.push_back(
        {name, d.op, action_name(d.action),
         d.action == Action::keep
             ? bytes_text(static_cast<uint64_t>(d.bytes_before))
             : bytes_pair(d.bytes_before, d.bytes_after)});
  }
  std::string out = table_text(table, {options.width, 0, options.colour});
  if (plan.decisions.size() > most)
    out += fmt::format(
        "... and {} more; --verbose lists them\n",
        count_text(static_cast<int64_t>(plan.decisions.size() - most)));
  return out;
}

// Whether int8 products may saturate on some processors; "" where none may.
std::string saturation_text(const QuantizeContext& c) {
  uint64_t pairs = 0, at_risk = 0;
  for (const Saturation& s : c.result.saturation) {
    pairs += s.pairs;
    at_risk += s.at_risk;
  }
  if (at_risk == 0) return "";
  return fmt::format(
      "Saturation: {} of the pairs of int8 weights could overflow 16 bits on "
      "x86 processors without VNNI; {}--reduce-range rules it out.",
      percent_text(static_cast<double>(at_risk) / static_cast<double>(pairs),
                   2),
      c.vnni ? "this one has VNNI. " : "");
}

}  // namespace

std::string fates_text(const Plan& plan, const TextOptions& options) {
  std::map<std::tuple<bool, std::string, std::string, std::string>,
           std::pair<Row, std::string>>
      fates;
  for (const Decision& d : plan.decisions) {
    auto& [row, reason] = fates[{d.action == Action::keep, d.op,
                                 action_name(d.action), kind_of(d.reason)}];
    ++row.nodes;
    row.before += d.bytes_before;
    row.after += d.bytes_after;
    if (reason.empty()) reason = d.reason;
  }
  Table table;
  table.columns = {{"operator"},
                   {"nodes", Align::right},
                   {"becomes"},
                   {"weights", Align::right}};
  std::string reasons;
  for (const auto& [key, value] : fates) {
    const auto& [kept, op, action, kind] = key;
    const auto& [row, reason] = value;
    table.rows.push_back({op, count_text(row.nodes), action,
                          kept ? bytes_text(static_cast<uint64_t>(row.before))
                               : bytes_pair(row.before, row.after)});
    if (!reason.empty())
      reasons += wrap_text(
          fmt::format("{}, {}: {}.", op, count_noun(row.nodes, "node"),
                      row.nodes > 1 ? "for example, " + reason : reason),
          static_cast<size_t>(options.width));
  }
  std::string out = table_text(table, {options.width, 0, options.colour});
  if (!reasons.empty()) out += "\n" + reasons;
  return out;
}

std::string quantize_text(const QuantizeContext& c, size_t nodes,
                          const TextOptions& options) {
  const Paint paint(options.colour);
  const Plan& plan = c.result.plan;
  std::string out;
  if (!c.dry_run) {
    out += paint.strong(fmt::format(
        "{}  {}  ({} of {})\n", c.output, bytes_text(c.result.bytes_after),
        percent_text(static_cast<double>(c.result.bytes_after) /
                         static_cast<double>(c.result.bytes_before),
                     1),
        bytes_text(c.result.bytes_before)));
  }
  out += fmt::format("{} of {} quantized{}\n", count_text(plan.quantized),
                     count_noun(plan.candidates, "candidate node"),
                     c.dry_run ? " (plan only, nothing was written)" : "");
  if (plan.converted_from != 0) {
    std::vector<std::string> forms;
    for (const auto& [op, nodes] : plan.converted)
      forms.push_back(fmt::format("{} {}", count_text(nodes), op));
    out += wrap_text(
        fmt::format("Converted from opset {} to 11, which integer products "
                    "need{}{}.",
                    plan.converted_from, forms.empty() ? "" : ": ",
                    fmt::join(forms, ", ")),
        options.width);
  }
  if (!plan.already.empty()) {
    std::vector<std::string> forms;
    for (const auto& [form, nodes] : plan.already)
      forms.push_back(fmt::format("{} {}", count_text(nodes), form));
    out +=
        wrap_text(fmt::format("Quantized already: {}.", fmt::join(forms, ", ")),
                  options.width);
  }
  const RuntimeNeed need = needed_runtime(plan);
  if (!need.because.empty())
    out += wrap_text(fmt::format("Needs ONNX Runtime {} or later: {}.",
                                 need.version, need.because),
                     options.width);
  for (const auto& note : plan.prepared)
    out += wrap_text(fmt::format("Prepared: {}.", note), options.width);
  if (!plan.decisions.empty()) out += "\n" + fates_text(plan, options);
  if (nodes > 0 && !plan.decisions.empty())
    out += "\n" + nodes_text(plan, nodes, options);
  if (c.dry_run) return out;
  out += "\n";
  const std::string saturation = saturation_text(c);
  if (!saturation.empty()) out += wrap_text(saturation, options.width);
  out += wrap_text(fmt::format("Self-check: {}.", c.check),
                   static_cast<size_t>(options.width));
  out += wrap_text(
      fmt::format("Written in {}. Whether the answers are kept, only your own "
                  "samples can show:",
                  duration_text(c.seconds)),
      options.width);
  // On a line of its own, however long, so that it can be copied.
  out +=
      fmt::format("  octavo compare {} {} --samples FILE\n", c.input, c.output);
  return out;
}

}  // namespace octavo
