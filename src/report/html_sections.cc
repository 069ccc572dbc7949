#include "report/html_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "report/compare_text.h"
#include "report/html.h"
#include "report/layers_report.h"
#include "report/probes_report.h"
#include "report/units.h"

namespace octavo {
namespace {

// For the rows of the nodes, so that the page stays under 2 MB whatever the
// model has.
constexpr size_t kRowsBudget = 1'000'000;

std::string bytes(int64_t n) { return bytes_text(static_cast<uint64_t>(n)); }

double number(int64_t n) { return static_cast<double>(n); }

// By operator and what it becomes: the whole of a model in a few lines.
std::string fates_summary(const HtmlReport& r) {
  struct Sum {
    int64_t nodes = 0, before = 0;
  };
  std::map<std::tuple<bool, std::string, std::string>, Sum> sums;
  for (const Fate& f : r.fates) {
    Sum& s = sums[{!f.quantized, f.op, f.becomes}];
    ++s.nodes;
    s.before += f.bytes_before;
  }
  HtmlTable t;
  t.caption = "By operator: bytes are those of the weights before";
  t.table.columns = {{"operator"},
                     {"becomes"},
                     {"nodes", Align::right},
                     {"weights", Align::right}};
  for (const auto& [key, s] : sums) {
    const auto& [kept, op, becomes] = key;
    t.table.rows.push_back({op, becomes, count_text(s.nodes), bytes(s.before)});
  }
  return html_table(t);
}

HtmlTable fates_table(const HtmlReport& r) {
  const bool after =
      std::any_of(r.fates.begin(), r.fates.end(),
                  [](const Fate& f) { return f.bytes_after.has_value(); });
  HtmlTable t;
  t.caption = "Every node that has weights, or could have";
  t.sort = t.filter = true;
  t.whole = "`octavo inspect ORIGINAL COPY --json`";
  t.table.columns = {
      {"node"}, {"operator"}, {"becomes"}, {"weights", Align::right}};
  if (after) t.table.columns.push_back({"after", Align::right});
  t.table.columns.push_back({"reason"});
  std::vector<const Fate*> order;
  for (const Fate& f : r.fates) order.push_back(&f);
  // What is left out, should it be too long, is what weighs least.
  std::stable_sort(order.begin(), order.end(),
                   [](const Fate* a, const Fate* b) {
                     return a->bytes_before > b->bytes_before;
                   });
  for (const Fate* f : order) {
    const std::string name = f->node.empty() ? "(unnamed)" : f->node;
    std::vector<std::string> row = {
        f->scope.empty() ? name : f->scope + " / " + name, f->op, f->becomes,
        bytes(f->bytes_before)};
    std::vector<std::optional<double>> values = {
        {}, {}, {}, number(f->bytes_before)};
    if (after) {
      row.push_back(f->bytes_after ? bytes(*f->bytes_after) : "-");
      values.push_back(f->bytes_after ? std::optional(number(*f->bytes_after))
                                      : std::nullopt);
    }
    row.push_back(f->reason);
    t.table.rows.push_back(std::move(row));
    t.values.push_back(std::move(values));
    t.kinds.push_back(f->quantized ? "q" : "f");
  }
  return t;
}

}  // namespace

std::string html_checks(const HtmlReport& r) {
  HtmlTable t;
  t.caption = "What you allowed, and what was measured";
  t.table.columns = {{"what"},
                     {"limit", Align::right},
                     {"measured", Align::right},
                     {"detail"},
                     {"within"}};
  for (const Check& c : r.comparison.checks) {
    t.table.rows.push_back(
        {c.what, plain_number(c.limit),
         c.measured ? plain_number(*c.measured) : "not measured", c.detail,
         c.ok ? "yes" : "no"});
    t.kinds.push_back(c.ok ? "good" : "bad");
  }
  return t.table.rows.empty() ? "" : html_table(t);
}

std::string html_sizes(const HtmlReport& r) {
  if (!r.before || !r.after) return "";
  std::map<std::string, std::pair<int64_t, int64_t>> types;
  for (const auto& [name, c] : r.before->by_type) types[name].first = c.bytes;
  for (const auto& [name, c] : r.after->by_type) types[name].second = c.bytes;
  std::vector<std::pair<std::string, std::pair<int64_t, int64_t>>> rows(
      types.begin(), types.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::max(a.second.first, a.second.second) >
           std::max(b.second.first, b.second.second);
  });
  HtmlTable t;
  t.caption = "Bytes of the weights, by type";
  t.chart = "stacked";
  t.unit = "bytes";
  t.table.columns = {
      {"type"}, {"original", Align::right}, {"copy", Align::right}};
  for (const auto& [name, sizes] : rows) {
    t.table.rows.push_back({name, bytes(sizes.first), bytes(sizes.second)});
    t.values.push_back({{}, number(sizes.first), number(sizes.second)});
  }
  if (t.table.rows.empty()) return "";
  return html_table(t) +
         html_sentences({fmt::format(
             "All weights: {} -> {}. The files: {} -> {}.",
             bytes(r.before->weight_bytes), bytes(r.after->weight_bytes),
             bytes(r.before->file_bytes), bytes(r.after->file_bytes))});
}

std::string html_fates(const HtmlReport& r) {
  if (r.fates.empty()) return "";
  return fates_summary(r) + html_table(fates_table(r), kRowsBudget);
}

// How the differences of one output are spread, and the samples with most.
std::string html_spread(const OutputSummary& o) {
  std::string out;
  HtmlTable spread;
  spread.caption = o.name + ": differences by size";
  spread.table.columns = {{"below"}, {"elements", Align::right}};
  spread.chart = "columns";
  for (const SpreadSummary::Bin& bin : o.spread.histogram) {
    spread.table.rows.push_back(
        {bin.below == 0 ? "equal" : significant(bin.below, 2),
         count_text(bin.pairs)});
    spread.values.push_back({{}, number(bin.pairs)});
  }
  if (spread.table.rows.size() > 1) out += html_table(spread);
  HtmlTable worst;
  worst.caption = o.name + ": samples that differ most";
  worst.sort = true;
  worst.table.columns = {{"sample", Align::right},
                         {"max abs", Align::right},
                         {"RMSE", Align::right},
                         {"relative L2", Align::right},
                         {"cosine", Align::right}};
  for (const SampleDifference& d : o.spread.worst) {
    const auto text = [](const std::optional<double>& v) {
      return v ? significant(*v) : std::string("-");
    };
    worst.table.rows.push_back({count_text(d.sample), significant(d.max_abs),
                                significant(d.rmse), text(d.relative_l2),
                                d.cosine ? cosine_text(*d.cosine) : "-"});
    worst.values.push_back(
        {number(d.sample), d.max_abs, d.rmse, d.relative_l2, d.cosine});
  }
  if (!worst.table.rows.empty()) out += html_table(worst);
  return out;
}

std::string html_outputs(const HtmlReport& r) {
  HtmlTable t;
  t.caption = "How far the copy is from the original, by output";
  t.table = outputs_table(r.comparison);
  std::string out = t.table.rows.empty() ? "" : html_table(t);
  out += html_sentences(sentences_of(details_text(r.comparison, {0, false})));
  // A chart each: of the first few outputs that differ.
  constexpr size_t kSpreads = 4;
  size_t shown = 0;
  for (const OutputSummary& o : r.comparison.outputs) {
    if (o.spread.histogram.empty() || o.equal == o.elements) continue;
    if (shown++ < kSpreads) out += html_spread(o);
  }
  return out;
}

std::string html_probes(const HtmlReport& r) {
  if (r.comparison.probes.empty()) return "";
  return html_table({probes_table(r.comparison),
                     "How far the answers move (relative L2, of the output "
                     "that moves most)"});
}

std::string html_layers(const HtmlReport& r) {
  if (!r.context.layers || r.context.layers->layers.empty()) return "";
  const LayersResult& layers = *r.context.layers;
  HtmlTable t;
  t.caption = "Signal to error of each quantized layer, in dB";
  t.chart = "lines";
  t.sort = true;
  t.table = layers_table(layers);
  for (const LayerError& l : layers.layers)
    t.values.push_back({{},
                        {},
                        l.isolated ? finite_sqnr(*l.isolated) : std::nullopt,
                        finite_sqnr(l.cumulative)});
  std::vector<std::string> notes = {
      "Alone: the copy's layer on the original's own values. In copy: with "
      "all errors of the layers before it. Less is worse; 6 dB are one bit."};
  if (layers.partial)
    notes.push_back("This was stopped early and speaks of a part.");
  return html_sentences(notes) + html_table(t);
}

std::string html_flips(const HtmlReport& r) {
  const auto& answers = r.comparison.answers;
  if (!answers || answers->first_flips.empty()) return "";
  return html_table({flips_table(*answers), flips_title(*answers)}) +
         html_sentences({"The original's lead is its best score minus its "
                         "second best: a flip at a small lead was a close "
                         "call."});
}

}  // namespace octavo
