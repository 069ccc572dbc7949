#include "report/sensitivity_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/version.h"
#include "report/html.h"
#include "report/table.h"
#include "report/units.h"
#include "report/wrap.h"

namespace octavo {
namespace {

std::string name_of(const Decision& d) {
  const std::string name = d.node.empty() ? d.op : d.node;
  return d.scope.empty() ? name : d.scope + "/" + name;
}

std::string number(const std::optional<double>& v) {
  return v ? significant(*v) : "-";
}

std::optional<double> value(const std::optional<Cost>& c) {
  return c ? std::optional<double>(c->value) : std::nullopt;
}

// What is won by leaving the layer float, the others being quantized.
std::optional<double> won(const SensitivityResult& r,
                          const LayerSensitivity& l) {
  if (!r.all || !l.without) return std::nullopt;
  // Infinite ones, too.
  if (l.without->value == r.all->value) return 0.0;
  return r.all->value - l.without->value;
}

std::vector<const LayerSensitivity*> worst_first(const SensitivityResult& r) {
  std::vector<const LayerSensitivity*> order;
  for (const LayerSensitivity& l : r.layers) order.push_back(&l);
  const auto figure = [](const LayerSensitivity* l) {
    const double lowest = -std::numeric_limits<double>::infinity();
    return l->alone && !std::isnan(l->alone->value) ? l->alone->value : lowest;
  };
  std::stable_sort(
      order.begin(), order.end(),
      [&](const auto* a, const auto* b) { return figure(a) > figure(b); });
  return order;
}

std::string saved(const Decision& d) {
  const int64_t bytes = d.bytes_before - d.bytes_after;
  return bytes < 0 ? "-" + bytes_text(static_cast<uint64_t>(-bytes))
                   : bytes_text(static_cast<uint64_t>(bytes));
}

std::string meaning(const SensitivityResult& r) {
  if (r.by == "error")
    return "error: relative L2 of the outputs' differences (root mean square "
           "over outputs)";
  return fmt::format("{}; where more is better, it is negated", r.by);
}

std::string work(const SensitivityResult& r) {
  const auto own =
      std::count_if(r.layers.begin(), r.layers.end(),
                    [](const LayerSensitivity& l) { return !l.switched; });
  std::string out = fmt::format(
      "{} on up to {} in {}, {}", count_noun(r.evaluations, "evaluation"),
      count_noun(r.samples, "sample"), duration_text(r.seconds),
      count_noun(r.sessions, "session"));
  if (r.recalled > 0)
    out +=
        fmt::format("; {} of them known from before", count_text(r.recalled));
  if (own > 0 && r.sessions > 0)
    out += fmt::format(
        "; {} of {} layers could not be switched within one "
        "session and took sessions of their own",
        own, r.layers.size());
  return out + ".";
}

Json cost_json(const std::optional<Cost>& c) {
  if (!c) return nullptr;
  return {{"value", json_number(c->value)},
          {"standard_error", json_number(c->standard_error)},
          {"samples", c->samples}};
}

// How sure the figures are, where they are of a part of the samples.
std::string sureness(const SensitivityResult& r) {
  double worst = 0;
  int64_t least = r.samples;
  const auto look = [&](const std::optional<Cost>& c) {
    if (!c || c->standard_error == 0) return;
    worst = std::max(worst, c->standard_error / c->value);
    least = std::min(least, c->samples);
  };
  look(r.all);
  for (const LayerSensitivity& l : r.layers) look(l.alone), look(l.without);
  if (worst == 0) return "";
  return fmt::format(
      "Figures are of {} samples or more, chosen at random, the same ones for "
      "all; their standard error is at most {} of them (--precision 0: all "
      "samples).",
      count_text(least), percent_text(worst, 1));
}

std::vector<std::string> row(const SensitivityResult& r,
                             const LayerSensitivity& l) {
  return {name_of(l.decision), saved(l.decision), number(value(l.alone)),
          number(value(l.without)), number(won(r, l))};
}

Table table_of(const SensitivityResult& r) {
  Table table{{{"layer", Align::left, true},
               {"saves", Align::right},
               {"alone", Align::right},
               {"all but it", Align::right},
               {"won", Align::right}},
              {}};
  for (const auto* l : worst_first(r)) table.rows.push_back(row(r, *l));
  return table;
}

}  // namespace

std::string sensitivity_text(const SensitivityResult& r,
                             const SensitivityContext& context, size_t shown,
                             const TextOptions& options) {
  const Paint paint(options.colour);
  std::string out = paint.strong(fmt::format(
      "Sensitivity of {}{}\n", count_noun(std::ssize(r.layers), "layer"),
      r.partial ? ", stopped early" : ""));
  out += wrap_text(meaning(r), options.width, "  ");
  if (r.all)
    out +=
        wrap_text(fmt::format("all layers quantized: {}", number(r.all->value)),
                  options.width, "  ");
  Table table = table_of(r);
  const size_t all = table.rows.size();
  if (shown < all) table.rows.resize(shown);
  out += "\n" + table_text(table, {options.width, 2, options.colour});
  if (shown < all)
    out +=
        fmt::format("  ... and {} more; --verbose lists them\n", all - shown);
  out += "\n" + wrap_text(
                    "alone: only this layer is quantized. all but it: "
                    "only this layer is float. won: by leaving it "
                    "float.",
                    options.width, "  ");
  if (const std::string text = sureness(r); !text.empty())
    out += wrap_text(text, options.width, "  ");
  out += wrap_text(work(r), options.width, "  ");
  out += wrap_text(fmt::format("ONNX Runtime {}; {}", context.runtime_version,
                               context.samples),
                   options.width, "  ");
  return out;
}

Json sensitivity_json(const SensitivityResult& r,
                      const SensitivityContext& context) {
  Json j;
  j["schema"] = "octavo.sensitivity/1";
  j["octavo"] = version();
  j["model"] = context.model;
  j["samples"] = {{"count", r.samples}, {"source", context.samples}};
  j["runtime"] = context.runtime_version;
  j["by"] = r.by;
  j["all"] = cost_json(r.all);
  j["partial"] = r.partial;
  j["evaluations"] = r.evaluations;
  j["recalled"] = r.recalled;
  j["sessions"] = r.sessions;
  j["seconds"] = r.seconds;
  j["layers"] = Json::array();
  for (const LayerSensitivity& l : r.layers) {
    const Decision& d = l.decision;
    Json one;
    one["node"] = d.node;
    one["op"] = d.op;
    one["scope"] = d.scope;
    one["graph"] = d.scope_index;
    one["index"] = d.index;
    one["action"] = action_name(d.action);
    one["bytes_before"] = d.bytes_before;
    one["bytes_after"] = d.bytes_after;
    one["switched"] = l.switched;
    one["alone"] = cost_json(l.alone);
    one["without"] = cost_json(l.without);
    j["layers"].push_back(std::move(one));
  }
  return j;
}

std::string sensitivity_html(const SensitivityResult& r,
                             const SensitivityContext& context) {
  HtmlTable html;
  html.table = table_of(r);
  html.caption = "Layers, the one that costs most by itself first";
  for (const auto* l : worst_first(r)) {
    const auto finite = [](std::optional<double> v) {
      return v && std::isfinite(*v) ? v : std::nullopt;
    };
    html.values.push_back({std::nullopt,
                           static_cast<double>(l->decision.bytes_before -
                                               l->decision.bytes_after),
                           finite(value(l->alone)), finite(value(l->without)),
                           finite(won(r, *l))});
  }
  html.sort = true;
  html.filter = true;
  const auto line = [](const std::string& text) {
    return fmt::format("<p>{}</p>\n", html_text(text));
  };
  std::string body = fmt::format(
      "<header><h1>Sensitivity of {}</h1>\n{}{}</header>\n<section>\n",
      html_text(context.model), line(meaning(r)),
      r.all ? line("all layers quantized: " + number(r.all->value)) : "");
  // A chart of one column: what each layer costs alone.
  HtmlTable chart;
  chart.table.columns = {{"layer"}, {"alone", Align::right}};
  chart.caption = "Error where only this layer is quantized: the worst 20";
  chart.chart = "bars";
  for (size_t i = 0; i < std::min<size_t>(20, html.table.rows.size()); ++i) {
    chart.table.rows.push_back({html.table.rows[i][0], html.table.rows[i][2]});
    chart.values.push_back({std::nullopt, html.values[i][2]});
  }
  body +=
      html_table(chart) + "</section>\n<section>\n" + html_table(html) +
      "</section>\n<footer>\n" + line(sureness(r)) + line(work(r)) +
      line(fmt::format("ONNX Runtime {}; {}; Octavo {}",
                       context.runtime_version, context.samples, version())) +
      fmt::format("<pre><code>{}</code></pre>\n</footer>\n",
                  html_text(context.command, 20000));
  return html_page("Sensitivity of " + context.model, body);
}

}  // namespace octavo
