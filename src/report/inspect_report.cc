#include "report/inspect_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/version.h"
#include "report/table.h"
#include "report/units.h"
#include "report/wrap.h"

namespace octavo {
namespace {

std::string bytes(int64_t n) { return bytes_text(static_cast<uint64_t>(n)); }

std::string share(int64_t part, int64_t whole) {
  if (whole == 0) return "";
  return percent_text(static_cast<double>(part) / static_cast<double>(whole),
                      1);
}

using Counts = std::map<std::string, TypeBytes>;

std::vector<std::pair<std::string, TypeBytes>> largest_first(
    const Counts& counts) {
  std::vector<std::pair<std::string, TypeBytes>> rows(counts.begin(),
                                                      counts.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.bytes > b.second.bytes;
  });
  return rows;
}

std::string counts_text(const char* title, const Counts& counts, int64_t all,
                        const TextOptions& options) {
  Table table;
  table.columns = {{title, Align::left, true},
                   {"tensors", Align::right},
                   {"bytes", Align::right},
                   {"share", Align::right}};
  for (const auto& [name, c] : largest_first(counts))
    table.rows.push_back(
        {name, count_text(c.tensors), bytes(c.bytes), share(c.bytes, all)});
  return "\n" + table_text(table, {options.width, 0, options.colour});
}

std::string named_counts(const std::map<std::string, int64_t>& counts) {
  std::vector<std::pair<std::string, int64_t>> rows(counts.begin(),
                                                    counts.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second > b.second;
  });
  std::vector<std::string> words;
  for (const auto& [name, n] : rows)
    words.push_back(fmt::format("{} {}", count_text(n), name));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string head_text(const InspectedModel& m, const TextOptions& options) {
  const Inspection& i = m.inspection;
  const Paint paint(options.colour);
  std::string out = paint.strong(fmt::format(
      "{}  {}{}\n", m.path, bytes(i.file_bytes),
      i.external_bytes > 0
          ? fmt::format(" ({} of it in data files)", bytes(i.external_bytes))
          : ""));
  std::vector<std::string> opsets;
  for (const auto& [domain, version] : i.opsets)
    opsets.push_back(fmt::format("{} {}", domain, version));
  const auto line = [&](const char* label, const std::string& text) {
    out += wrap_text(text, options.width, fmt::format("{:<11}", label));
  };
  line("made by", i.producer.empty() ? "(not said)" : i.producer);
  line("opset",
       fmt::format("{}; IR {}", fmt::join(opsets, ", "), i.ir_version));
  for (const auto& p : i.inputs) line("input", p);
  for (const auto& p : i.outputs) line("output", p);
  line("nodes",
       fmt::format(
           "{}{}{}: {}", count_text(i.nodes),
           i.graphs > 1 ? fmt::format(" in {} graphs", i.graphs) : "",
           i.functions > 0
               ? fmt::format(" and {}", count_noun(i.functions, "function"))
               : "",
           named_counts(i.operators)));
  if (!i.quantized.empty()) line("quantized", named_counts(i.quantized));
  for (const auto& [key, value] : i.metadata)
    line("metadata", fmt::format("{} = {}", key, value));
  return out;
}

Json counts_json(const Counts& counts) {
  Json j = Json::object();
  for (const auto& [name, c] : largest_first(counts))
    j[name] = {{"tensors", c.tensors}, {"bytes", c.bytes}};
  return j;
}

Json model_json(const InspectedModel& m) {
  const Inspection& i = m.inspection;
  Json j;
  j["path"] = m.path;
  j["bytes"] = i.file_bytes;
  j["external_bytes"] = i.external_bytes;
  j["ir_version"] = i.ir_version;
  j["producer"] = i.producer;
  j["opsets"] = Json::object();
  for (const auto& [domain, version] : i.opsets) j["opsets"][domain] = version;
  j["metadata"] = i.metadata;
  j["inputs"] = i.inputs;
  j["outputs"] = i.outputs;
  j["nodes"] = i.nodes;
  j["graphs"] = i.graphs;
  j["functions"] = i.functions;
  j["operators"] = i.operators;
  j["quantized"] = i.quantized;
  j["weight_bytes"] = i.weight_bytes;
  j["by_type"] = counts_json(i.by_type);
  j["by_operator"] = counts_json(i.by_operator);
  j["hazards"] = i.hazards;
  return j;
}

std::string change_table(const InspectedPair& p, const TextOptions& options) {
  std::map<std::pair<std::string, std::string>, int64_t> kinds;
  for (const Change& c : p.changes) ++kinds[{c.before, c.after}];
  Table table;
  table.columns = {{"operator"}, {"nodes", Align::right}, {"is now"}};
  for (const auto& [kind, n] : kinds)
    table.rows.push_back(
        {kind.first, count_text(n),
         kind.first == kind.second ? "as before" : kind.second});
  return "\n" + table_text(table, {options.width, 0, options.colour});
}

std::string operator_table(const InspectedPair& p, const TextOptions& options) {
  std::set<std::string> names;
  for (const auto& [name, n] : p.before.inspection.operators)
    names.insert(name);
  for (const auto& [name, n] : p.after.inspection.operators) names.insert(name);
  const auto count = [](const InspectedModel& m, const std::string& name) {
    const auto it = m.inspection.operators.find(name);
    return it == m.inspection.operators.end() ? 0 : it->second;
  };
  Table table;
  table.columns = {
      {"operator"}, {"before", Align::right}, {"after", Align::right}};
  for (const auto& name : names)
    if (count(p.before, name) != count(p.after, name))
      table.rows.push_back({name, count_text(count(p.before, name)),
                            count_text(count(p.after, name))});
  if (table.rows.empty())
    return "\nEvery operator is there as often as before.\n";
  return "\n" + table_text(table, {options.width, 0, options.colour});
}

std::string type_table(const InspectedPair& p, const TextOptions& options) {
  Counts all = p.before.inspection.by_type;
  for (const auto& [name, c] : p.after.inspection.by_type)
    all[name].bytes += c.bytes;
  const auto of = [](const InspectedModel& m, const std::string& name) {
    const auto it = m.inspection.by_type.find(name);
    return it == m.inspection.by_type.end() ? 0 : it->second.bytes;
  };
  Table table;
  table.columns = {
      {"weights"}, {"before", Align::right}, {"after", Align::right}};
  for (const auto& [name, c] : largest_first(all))
    table.rows.push_back(
        {name, bytes(of(p.before, name)), bytes(of(p.after, name))});
  table.rows.push_back({"all", bytes(p.before.inspection.weight_bytes),
                        bytes(p.after.inspection.weight_bytes)});
  return "\n" + table_text(table, {options.width, 0, options.colour});
}

// Why nodes of the first model are float in the second one, too.
std::vector<const Decision*> still_float(const InspectedPair& p) {
  std::set<std::pair<std::string, std::string>> left;
  for (const Change& c : p.changes)
    if (!c.quantized) left.emplace(c.scope, c.node);
  std::vector<const Decision*> out;
  for (const Decision& d : p.left.decisions)
    if (d.action == Action::keep && d.bytes_before > 0 &&
        left.contains({d.scope, d.node}))
      out.push_back(&d);
  return out;
}

std::string reasons_text(const InspectedPair& p, const TextOptions& options) {
  std::map<std::string, std::pair<int64_t, const Decision*>> reasons;
  for (const Decision* at : still_float(p)) {
    const Decision& d = *at;
    auto& [n, first] = reasons[d.op];
    ++n;
    if (!first) first = &d;
  }
  std::string out;
  for (const auto& [op, entry] : reasons)
    out += wrap_text(
        fmt::format("{} of {} {} float: {}.", count_text(entry.first), op,
                    entry.first == 1 ? "is" : "are", entry.second->reason),
        options.width);
  return out.empty() ? "" : "\n" + out;
}

}  // namespace

std::string inspect_text(const InspectedModel& m, size_t tensors,
                         const TextOptions& options) {
  const Inspection& i = m.inspection;
  std::string out = head_text(m, options);
  if (!i.tensors.empty()) {
    out += counts_text("weights by type", i.by_type, i.weight_bytes, options);
    out += counts_text("by operator", i.by_operator, i.weight_bytes, options);
    Table table;
    table.columns = {{"largest", Align::left, true},
                     {"type"},
                     {"bytes", Align::right},
                     {"used by"}};
    for (size_t k = 0; k < std::min(tensors, i.tensors.size()); ++k) {
      const StoredTensor& t = i.tensors[k];
      table.rows.push_back(
          {t.scope.empty() ? t.name : t.scope + " / " + t.name,
           std::string(dtype_name(t.type)) + " " + shape_text(t.shape),
           bytes(t.bytes), t.user.empty() ? "(nothing)" : t.user});
    }
    out += "\n" + table_text(table, {options.width, 0, options.colour});
    if (i.tensors.size() > tensors)
      out += fmt::format(
          "... and {} more\n",
          count_text(static_cast<int64_t>(i.tensors.size() - tensors)));
  }
  if (!i.hazards.empty()) out += "\n";
  for (const auto& h : i.hazards) out += wrap_text("Note: " + h, options.width);
  return out;
}

std::string inspect_text(const InspectedPair& p, const TextOptions& options) {
  const Paint paint(options.colour);
  const auto& before = p.before.inspection;
  const auto& after = p.after.inspection;
  std::string out = paint.strong(fmt::format(
      "{}  {}\n{}  {}  ({})\n", p.before.path, bytes(before.file_bytes),
      p.after.path, bytes(after.file_bytes),
      share(after.file_bytes, before.file_bytes)));
  if (before.inputs != after.inputs || before.outputs != after.outputs)
    out += "Their inputs or outputs differ.\n";
  const auto quantized =
      std::count_if(p.changes.begin(), p.changes.end(),
                    [](const Change& c) { return c.quantized; });
  out += fmt::format(
      "{} of {} quantized\n", count_text(quantized),
      count_noun(static_cast<int64_t>(p.changes.size()), "candidate node"));
  if (!p.changes.empty()) out += change_table(p, options);
  out += operator_table(p, options);
  out += type_table(p, options);
  out += reasons_text(p, options);
  return out;
}

Json inspect_json(const InspectedModel& m) {
  Json j;
  j["schema"] = "octavo.inspect/1";
  j["octavo"] = version();
  j.update(model_json(m));
  j["tensors"] = Json::array();
  for (const StoredTensor& t : m.inspection.tensors)
    j["tensors"].push_back({{"name", t.name},
                            {"scope", t.scope},
                            {"type", dtype_name(t.type)},
                            {"shape", t.shape},
                            {"bytes", t.bytes},
                            {"used_by", t.user}});
  return j;
}

Json inspect_json(const InspectedPair& p) {
  Json j;
  j["schema"] = "octavo.inspect-pair/1";
  j["octavo"] = version();
  j["before"] = model_json(p.before);
  j["after"] = model_json(p.after);
  j["nodes"] = Json::array();
  for (const Change& c : p.changes)
    j["nodes"].push_back({{"node", c.node},
                          {"scope", c.scope},
                          {"before", c.before},
                          {"after", c.after},
                          {"quantized", c.quantized}});
  j["float"] = Json::array();
  for (const Decision* d : still_float(p))
    j["float"].push_back({{"node", d->node},
                          {"op", d->op},
                          {"scope", d->scope},
                          {"bytes", d->bytes_before},
                          {"reason", d->reason}});
  return j;
}

}  // namespace octavo
