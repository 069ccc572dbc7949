#include "report/compare_markdown.h"

#include <fmt/format.h>

#include "report/check_text.h"
#include "report/compare_text.h"
#include "report/probes_report.h"
#include "report/table.h"
#include "report/text_width.h"
#include "report/units.h"

namespace octavo {
namespace {

constexpr TextOptions kOneLine{.width = 0};

// Names come from models: nothing in them may become markup.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) {
    if (std::string_view("\\`*_[]<>|~#&").find(c) != std::string_view::npos)
      out += '\\';
    out += c;
  }
  return out;
}

std::string table_markdown(const Table& t) {
  if (t.rows.empty()) return "";
  std::string out = "|", rule = "|";
  for (const Column& c : t.columns) {
    out += fmt::format(" {} |", escaped(c.title));
    rule += c.align == Align::right ? " ---: |" : " --- |";
  }
  out += "\n" + rule + "\n";
  for (const auto& row : t.rows) {
    out += "|";
    for (size_t i = 0; i < t.columns.size(); ++i)
      out += fmt::format(" {} |", i < row.size() ? escaped(row[i]) : "");
    out += "\n";
  }
  return out + "\n";
}

std::string headline(const CompareResult& r) {
  if (!r.comparable()) return "not comparable";
  switch (r.verdict()) {
    case Verdict::within:
      return "within the limits";
    case Verdict::outside:
      return "outside the limits";
    case Verdict::none:
      break;
  }
  return "no limits, no verdict";
}

// Lines of text reports as a list.
std::string list(const std::string& lines) {
  std::string out;
  for (size_t at = 0; at < lines.size();) {
    const size_t end = std::min(lines.find('\n', at), lines.size());
    const size_t first = lines.find_first_not_of(' ', at);
    if (first < end)
      out += "* " + escaped(lines.substr(first, end - first)) + "\n";
    at = end + 1;
  }
  return out.empty() ? out : out + "\n";
}

Table checks_table(const CompareResult& r) {
  Table t{{{"limit"}, {"measured", Align::right}, {""}, {""}}, {}};
  for (const Check& c : r.checks)
    t.rows.push_back(
        {check_name(c), measured_text(c), c.ok ? "ok" : "FAILED", c.detail});
  return t;
}

Table metrics_table(const CompareResult& r) {
  Table t{{{"metric"},
           {"original", Align::right},
           {"copy", Align::right},
           {"change"}},
          {}};
  for (const MetricSummary& m : r.metrics)
    t.rows.push_back({m.name, metric_text(m, m.reference),
                      metric_text(m, m.candidate), change_text(m)});
  return t;
}

std::string body(const CompareResult& r, const CompareContext& c) {
  std::string out;
  if (!r.comparable()) out += list(failures_text(r, kOneLine));
  out += table_markdown(checks_table(r));
  out += table_markdown(metrics_table(r));
  out += list(answers_text(r, kOneLine));
  out += table_markdown(outputs_table(r));
  out += table_markdown(probes_table(r));
  out += fmt::format("{}; {}{}\n", escaped(r.samples_description),
                     c.runtime_version.empty()
                         ? std::string("runtime not known")
                         : "ONNX Runtime " + escaped(c.runtime_version),
                     r.partial ? "; stopped early" : "");
  if (r.synthetic)
    out +=
        "\nThe inputs were synthetic: this says nothing about real "
        "answers.\n";
  return out;
}

std::string title(const CompareResult& r, const CompareContext& c) {
  return fmt::format("### {}: {}\n\n", escaped(c.copy), headline(r));
}

}  // namespace

std::string compare_markdown(const CompareResult& r, const CompareContext& c) {
  return title(r, c) + fmt::format("Against {}.\n\n", escaped(c.original)) +
         body(r, c);
}

std::string trial_markdown(const TrialReport& t) {
  const QuantizeResult& q = t.quantized.result;
  std::string out = title(t.comparison, t.context);
  out += fmt::format("Against {}: {} of {} nodes quantized, {} to {}",
                     escaped(t.context.original), q.plan.quantized,
                     q.plan.candidates, bytes_text(q.bytes_before),
                     bytes_text(q.bytes_after));
  if (t.latency)
    out += fmt::format("; {} ({:.2f} x the speed)",
                       outcome_name(t.latency->pairs.at(0).outcome),
                       t.latency->pairs[0].ratio);
  return out + ".\n\n" + body(t.comparison, t.context);
}

}  // namespace octavo
