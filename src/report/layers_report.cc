#include "report/layers_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/compare_json.h"
#include "report/units.h"
#include "report/wrap.h"

namespace octavo {
namespace {

constexpr size_t kShown = 10;

std::string sqnr_text(const OutputSummary& o) {
  if (!o.sqnr_db) return o.failed_batches > 0 ? "failed" : "-";
  return std::isinf(*o.sqnr_db) ? std::string("exact")
                                : fmt::format("{:.1f}", *o.sqnr_db);
}

std::string max_abs_text(const OutputSummary& o) {
  const auto* v = o.max_abs ? std::get_if<double>(&*o.max_abs) : nullptr;
  return v ? significant(*v) : "-";
}

std::string name_of(const LayerError& l) {
  return l.node.empty() ? l.value : l.node;
}

std::string alone(const LayerError& l) {
  return l.isolated ? sqnr_text(*l.isolated) : "-";
}

// The largest error of its own first; a layer without one by that in the copy.
bool worse(const LayerError* a, const LayerError* b) {
  const auto figure = [](const LayerError& l) {
    const OutputSummary& o = l.isolated ? *l.isolated : l.cumulative;
    return o.sqnr_db.value_or(std::numeric_limits<double>::infinity());
  };
  return figure(*a) < figure(*b);
}

}  // namespace

std::optional<double> finite_sqnr(const OutputSummary& o) {
  return o.sqnr_db && std::isfinite(*o.sqnr_db) ? o.sqnr_db : std::nullopt;
}

Table layers_table(const LayersResult& r) {
  Table table{{{"layer"},
               {"is now"},
               {"alone dB", Align::right},
               {"in copy dB", Align::right},
               {"max abs alone", Align::right},
               {"max abs in copy", Align::right}},
              {}};
  for (const LayerError& l : r.layers)
    table.rows.push_back({name_of(l), l.after, alone(l),
                          sqnr_text(l.cumulative),
                          l.isolated ? max_abs_text(*l.isolated) : "-",
                          max_abs_text(l.cumulative)});
  return table;
}

std::string layers_text(const LayersResult& r, const TextOptions& options) {
  if (r.layers.empty())
    return wrap_text("Layers: none of the model's own graph is quantized.",
                     options.width);
  std::vector<const LayerError*> order;
  for (const LayerError& l : r.layers) order.push_back(&l);
  std::stable_sort(order.begin(), order.end(), worse);
  // Names of layers are long, and are all that tells them apart.
  Table table{{{"layer", Align::left, true},
               {"alone dB", Align::right},
               {"in copy dB", Align::right}},
              {}};
  for (size_t i = 0; i < std::min(order.size(), kShown); ++i)
    table.rows.push_back({name_of(*order[i]), alone(*order[i]),
                          sqnr_text(order[i]->cumulative)});
  std::string title = fmt::format(
      "Layers by their own error, SQNR{}{}",
      order.size() > kShown ? fmt::format(": the worst {} of {}", kShown,
                                          count_text(std::ssize(order)))
                            : "",
      r.partial ? ", stopped early" : "");
  return Paint(options.colour).strong(title) + "\n" +
         table_text(table, {options.width, 2, options.colour});
}

Json layers_json(const LayersResult& r) {
  Json j;
  j["samples"] = r.samples;
  j["partial"] = r.partial;
  j["nodes"] = Json::array();
  for (const LayerError& l : r.layers) {
    Json one;
    one["node"] = l.node;
    one["before"] = l.before;
    one["after"] = l.after;
    one["value"] = l.value;
    one["isolated"] = l.isolated ? output_json(*l.isolated) : Json(nullptr);
    one["cumulative"] = output_json(l.cumulative);
    j["nodes"].push_back(std::move(one));
  }
  return j;
}

}  // namespace octavo
