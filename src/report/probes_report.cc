#include "report/probes_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/units.h"
#include "report/wrap.h"

namespace octavo {
namespace {

std::string title(const std::string& name) {
  return name == "batch_mates"  ? "batch mates"
         : name == "repetition" ? "repetition"
                                : name;
}

std::string moved(const std::optional<Movement>& m) {
  if (!m) return "-";
  if (m->value == 0) return "none";
  if (std::isinf(m->value)) return "broken";
  return significant(m->value, 2);
}

Json movement_json(const std::optional<Movement>& m) {
  if (!m) return nullptr;
  return {{"movement", json_number(m->value)},
          {"output", m->output.empty() ? Json(nullptr) : Json(m->output)}};
}

}  // namespace

Table probes_table(const CompareResult& r) {
  Table t{{{"probe"},
           {"what was changed", Align::left, true},
           {"original", Align::right},
           {"copy", Align::right}},
          {}};
  for (const Probe& p : r.probes)
    t.rows.push_back({title(p.name),
                      p.skipped.empty() ? p.what : "not made: " + p.skipped,
                      moved(p.original), moved(p.copy)});
  return t;
}

std::string probes_text(const CompareResult& r, const TextOptions& options) {
  Table made = probes_table(r);
  std::string skipped;
  for (size_t i = r.probes.size(); i-- > 0;)
    if (!r.probes[i].skipped.empty()) {
      skipped =
          wrap_text(fmt::format("{} not made: {}.", title(r.probes[i].name),
                                r.probes[i].skipped),
                    options.width, "  ") +
          skipped;
      made.rows.erase(made.rows.begin() + static_cast<std::ptrdiff_t>(i));
    }
  if (made.rows.empty() && skipped.empty()) return "";
  std::string out =
      Paint(options.colour)
          .strong("Probes: how far the answers move (relative L2)");
  out += "\n";
  if (!made.rows.empty())
    out += table_text(made, {options.width, 2, options.colour});
  return out + skipped;
}

Json probes_json(const CompareResult& r) {
  Json list = Json::array();
  for (const Probe& p : r.probes) {
    Json j;
    j["name"] = p.name;
    j["what"] = p.what.empty() ? Json(nullptr) : Json(p.what);
    j["skipped"] = p.skipped.empty() ? Json(nullptr) : Json(p.skipped);
    j["original"] = movement_json(p.original);
    j["copy"] = movement_json(p.copy);
    list.push_back(std::move(j));
  }
  return list;
}

}  // namespace octavo
