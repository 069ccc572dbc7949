#include "report/html_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/version.h"
#include "report/compare_text.h"
#include "report/html.h"
#include "report/html_sections.h"
#include "report/units.h"

namespace octavo {
namespace {

constexpr int kLongestCommand = 20'000;

struct Card {
  std::string title, figure, note;
};

// A size that compares: of the model with its data, where both are known.
std::optional<Card> size_card(const CompareContext& c) {
  if (c.original_bytes == 0 || c.copy_bytes == 0) return std::nullopt;
  return Card{
      "Size of the copy",
      percent_text(static_cast<double>(c.copy_bytes) /
                       static_cast<double>(c.original_bytes),
                   1),
      fmt::format("of the original: {} \u2192 {}", bytes_text(c.original_bytes),
                  bytes_text(c.copy_bytes))};
}

std::optional<Card> answers_card(const CompareResult& r) {
  if (!r.answers || r.answers->samples == 0) return std::nullopt;
  const AnswerSummary& a = *r.answers;
  return Card{"Accuracy", points_text(-a.accuracy_drop()),
              fmt::format("{} \u2192 {}; {} of {} answers changed",
                          percent_text(a.reference_accuracy()),
                          percent_text(a.candidate_accuracy()),
                          count_text(a.flipped), count_text(a.samples))};
}

// The output that differs most, by a measure that knows no scale.
std::optional<Card> difference_card(const CompareResult& r) {
  const OutputSummary* worst = nullptr;
  for (const OutputSummary& o : r.outputs)
    if (o.sqnr_db && (!worst || *o.sqnr_db < *worst->sqnr_db)) worst = &o;
  if (!worst) return std::nullopt;
  std::string note = fmt::format("signal to error of {}", worst->name);
  if (worst->cosine)
    note += fmt::format("; cosine {}", cosine_text(*worst->cosine));
  return Card{r.outputs.size() > 1 ? "Difference, worst output" : "Difference",
              std::isinf(*worst->sqnr_db)
                  ? std::string("none")
                  : fmt::format("{:.1f} dB", *worst->sqnr_db),
              note};
}

std::optional<Card> speed_card(const HtmlReport& r) {
  if (!r.latency) return std::nullopt;
  const BenchResult& l = *r.latency;
  const PairRatio& pair = l.pairs.at(0);
  return Card{"Speed, on this machine", ratio_text(pair.ratio),
              fmt::format("{}; {} \u2192 {} a call", outcome_name(pair.outcome),
                          duration_text(l.contenders[0].summary.median / 1e9),
                          duration_text(l.contenders[1].summary.median / 1e9))};
}

std::optional<Card> nodes_card(const HtmlReport& r) {
  if (r.fates.empty()) return std::nullopt;
  const auto quantized =
      std::count_if(r.fates.begin(), r.fates.end(),
                    [](const Fate& f) { return f.quantized; });
  return Card{"Nodes quantized", count_text(quantized),
              fmt::format("of {}", count_noun(r.candidates, "candidate node"))};
}

std::string cards(const HtmlReport& r) {
  std::string out;
  for (const auto& card :
       {size_card(r.context), answers_card(r.comparison),
        difference_card(r.comparison), speed_card(r), nodes_card(r)})
    if (card)
      out += fmt::format(
          "<div><dt>{}</dt><dd class=figure>{}</dd><dd "
          "class=note>{}</dd></div>\n",
          html_text(card->title), html_text(card->figure),
          html_text(card->note));
  return out.empty() ? "" : "<dl class=cards>\n" + out + "</dl>\n";
}

// The verdict as a headline, then what it rests on.
std::string head(const HtmlReport& r) {
  const TextOptions one_line = {0, false};
  auto verdict = sentences_of(verdict_text(r.comparison, one_line));
  const std::string headline =
      verdict.empty() ? std::string("Compared") : verdict.front();
  if (!verdict.empty()) verdict.erase(verdict.begin());
  std::string kind;
  if (r.comparison.verdict() == Verdict::within) kind = " class=within";
  if (r.comparison.verdict() == Verdict::outside) kind = " class=outside";
  return fmt::format(
             "<header>\n<p class=what>{} beside {}</p>\n<h1{}>{}</h1>\n",
             html_text(r.context.copy), html_text(r.context.original), kind,
             html_text(headline)) +
         html_sentences(verdict) + cards(r) +
         html_sentences(sentences_of(answers_text(r.comparison, one_line)));
}

std::string repeat(const HtmlReport& r) {
  const CompareContext& c = r.context;
  Table t;
  t.columns = {{"what"}, {""}};
  const auto model = [](const std::string& path, uint64_t bytes) {
    return bytes > 0 ? fmt::format("{} ({})", path, bytes_text(bytes)) : path;
  };
  t.rows.push_back({"original", model(c.original, c.original_bytes)});
  t.rows.push_back({"copy", model(c.copy, c.copy_bytes)});
  t.rows.push_back({"samples", r.comparison.samples_description});
  t.rows.push_back(
      {"compared",
       fmt::format("{} in {}{}", count_noun(r.comparison.samples, "sample"),
                   count_noun(r.comparison.batches, "batch", "batches"),
                   r.comparison.partial ? ", then stopped" : "")});
  if (!c.runtime_version.empty())
    t.rows.push_back(
        {"runtime",
         fmt::format("ONNX Runtime {} ({}), {}, {}", c.runtime_version,
                     c.runtime_library, fmt::join(c.providers, ", "),
                     count_noun(c.threads, "thread"))});
  t.rows.push_back({"made by", fmt::format("octavo {}", version())});
  for (const std::string& file : r.files) t.rows.push_back({"written", file});
  std::string out = html_table({t, "What was compared, and on what"});
  if (!r.command.empty())
    out +=
        fmt::format("<p>The command that made this page:</p>\n<pre>{}</pre>\n",
                    html_text(r.command, kLongestCommand));
  return out;
}

}  // namespace

std::vector<Fate> fates(const Plan& plan) {
  std::vector<Fate> out;
  for (const Decision& d : plan.decisions) {
    const bool kept = d.action == Action::keep;
    out.push_back({d.node, d.scope, d.op, action_name(d.action), !kept,
                   d.bytes_before, kept ? d.bytes_before : d.bytes_after,
                   d.reason});
  }
  return out;
}

std::vector<Fate> fates(const std::vector<Change>& changes, const Plan& planned,
                        const Plan& left) {
  // Nodes without a name may share their key; then in the graph's order.
  using Key = std::pair<std::string, std::string>;
  std::multimap<Key, const Decision*> before, after;
  for (const Decision& d : planned.decisions)
    before.emplace(Key{d.scope, d.node}, &d);
  for (const Decision& d : left.decisions)
    after.emplace(Key{d.scope, d.node}, &d);
  const auto take = [](auto& from, const Change& c) -> const Decision* {
    const auto [begin, end] = from.equal_range({c.scope, c.node});
    for (auto it = begin; it != end; ++it)
      if (it->second->op == c.before || c.before.ends_with(it->second->op)) {
        const Decision* d = it->second;
        from.erase(it);
        return d;
      }
    return nullptr;
  };
  std::vector<Fate> out;
  for (const Change& c : changes) {
    const Decision* was = take(before, c);
    const Decision* is = c.quantized ? nullptr : take(after, c);
    out.push_back({c.node, c.scope, c.before,
                   c.before == c.after ? "as before" : c.after, c.quantized,
                   was ? was->bytes_before : 0, std::nullopt,
                   is ? is->reason : ""});
  }
  return out;
}

std::string html_report(const HtmlReport& r) {
  const std::vector<HtmlSection> sections = {
      {"checks", "Tolerances", html_checks(r)},
      {"size", "Size", html_sizes(r)},
      {"nodes", "Nodes", html_fates(r)},
      {"outputs", "Outputs", html_outputs(r)},
      {"probes", "Probes", html_probes(r)},
      {"layers", "Layers", html_layers(r)},
      {"answers", "Answers that changed", html_flips(r)},
      {"speed", "Speed", html_speed(r)},
      {"repeat", "What was compared", repeat(r)}};
  std::string links, rest;
  for (const HtmlSection& s : sections) {
    if (s.html.empty()) continue;
    links += fmt::format("<a href=\"#{}\">{}</a>\n", s.id, s.title);
    rest += fmt::format("<section id={}>\n<h2>{}</h2>\n{}</section>\n", s.id,
                        s.title, s.html);
  }
  return html_page(
      fmt::format("{} beside {}: Octavo", r.context.copy, r.context.original),
      head(r) + "<nav>\n" + links + "</nav>\n</header>\n<main>\n" + rest +
          "</main>\n");
}

}  // namespace octavo
