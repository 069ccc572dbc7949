// The report's section on time: how the calls' times are spread, and every
// round.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/stats.h"
#include "report/html.h"
#include "report/html_sections.h"
#include "report/units.h"

namespace octavo {
namespace {

std::string time_text(double ns) { return duration_text(ns / 1e9); }

HtmlTable summary_table(const BenchResult& l) {
  HtmlTable t;
  t.caption = fmt::format("Seconds that a call of {} took",
                          count_noun(l.samples_per_call, "sample"));
  t.table.columns = {{"calls"}};
  for (const char* title :
       {"least", "p10", "median", "p90", "p95", "p99", "most", "MAD", "number"})
    t.table.columns.push_back({title, Align::right});
  for (const ContenderTimes& c : l.contenders) {
    const TimeSummary& s = c.summary;
    std::vector<std::string> row = {c.name};
    for (const double ns :
         {s.least, s.p10, s.median, s.p90, s.p95, s.p99, s.most, s.mad})
      row.push_back(time_text(ns));
    row.push_back(count_text(s.runs));
    t.table.rows.push_back(std::move(row));
  }
  return t;
}

// Share of each model's calls in steps of the times between the least one and
// the largest 99th percentile; all that took longer stands in the last.
HtmlTable spread_table(const BenchResult& l) {
  constexpr size_t kSteps = 24;
  HtmlTable t;
  t.caption = "How the calls' times are spread";
  t.chart = "lines";
  t.table.columns = {{"from", Align::right}};
  double low = l.contenders[0].summary.least, high = 0;
  for (const ContenderTimes& c : l.contenders) {
    t.table.columns.push_back({c.name, Align::right});
    low = std::min(low, c.summary.least);
    high = std::max(high, c.summary.p99);
  }
  if (!(high > low)) return t;
  const double step = (high - low) / kSteps;
  std::vector<std::vector<double>> shares;
  for (const ContenderTimes& c : l.contenders) {
    std::vector<double> counts(kSteps);
    for (const auto& block : c.blocks)
      for (const int64_t ns : block)
        ++counts[std::min(
            kSteps - 1,
            static_cast<size_t>((static_cast<double>(ns) - low) / step))];
    for (double& count : counts)
      count /= static_cast<double>(std::max<int64_t>(1, c.summary.runs));
    shares.push_back(std::move(counts));
  }
  for (size_t i = 0; i < kSteps; ++i) {
    t.table.rows.push_back({time_text(low + static_cast<double>(i) * step)});
    t.values.push_back({{}});
    for (const auto& counts : shares) {
      t.table.rows.back().push_back(percent_text(counts[i]));
      t.values.back().push_back(counts[i]);
    }
  }
  return t;
}

HtmlTable rounds_table(const BenchResult& l) {
  HtmlTable t;
  t.caption = "Median of each round's calls";
  t.chart = "lines";
  t.unit = "seconds";
  t.table.columns = {{"round", Align::right}};
  for (const ContenderTimes& c : l.contenders)
    t.table.columns.push_back({c.name, Align::right});
  for (size_t i = 0; i < l.rounds; ++i) {
    t.table.rows.push_back({fmt::format("{}", i + 1)});
    t.values.push_back({{}});
    for (const ContenderTimes& c : l.contenders) {
      const double ns =
          median(std::vector<double>(c.blocks[i].begin(), c.blocks[i].end()));
      t.table.rows.back().push_back(time_text(ns));
      t.values.back().push_back(ns / 1e9);
    }
  }
  return t;
}

}  // namespace

std::string html_speed(const HtmlReport& r) {
  if (!r.latency || r.latency->rounds == 0) return "";
  const BenchResult& l = *r.latency;
  std::vector<std::string> statements;
  for (const PairRatio& pair : l.pairs) {
    std::string text =
        fmt::format("The {} has {} the {}'s speed", l.contenders[pair.b].name,
                    ratio_text(pair.ratio), l.contenders[pair.a].name);
    if (pair.outcome != Outcome::too_few)
      text += fmt::format(" (95 %: {:.2f} to {:.2f})", pair.interval_95.low,
                          pair.interval_95.high);
    text += fmt::format(": {}. This is a figure for this machine.",
                        outcome_name(pair.outcome));
    statements.push_back(std::move(text));
  }
  std::string out = html_sentences(statements) + html_table(summary_table(l));
  if (const HtmlTable spread = spread_table(l); !spread.table.rows.empty())
    out += html_table(spread);
  return out + "<details><summary>Every round</summary>\n" +
         html_table(rounds_table(l)) + "</details>\n";
}

}  // namespace octavo
