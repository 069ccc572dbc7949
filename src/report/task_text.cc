#include "report/task_text.h"

#include <fmt/format.h>

#include <cmath>

#include "report/units.h"
#include "report/wrap.h"

namespace octavo {
namespace {

// "accuracy" -> "Accuracy"; "f1-macro" -> "F1 (macro)".
std::string title(const MetricSummary& m) {
  if (m.name == "f1-macro") return "F1 (macro)";
  if (m.name == "f1-micro") return "F1 (micro)";
  if (m.name == "cosine-retrieval") return "Nearest by cosine";
  if (m.name == "auc" || m.name == "mae" || m.name == "rmse" ||
      m.name == "r2") {
    std::string upper = m.name;
    for (char& c : upper)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return upper;
  }
  std::string out = m.name;
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z')
    out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

std::string signed_text(const MetricSummary& m, double v) {
  if (!m.share) return (v > 0 ? "+" : "") + significant(v);
  const std::string points = points_text(v);
  return points.substr(0, points.find(' '));
}

std::string size_text(const MetricSummary& m, double v) {
  return m.share ? points_text(v).substr(1) : significant(v, 2);
}

// Two decimals say enough; "< 0.01" where they would say 0.
std::string p_text(double p) {
  return p < 0.001 ? std::string("< 0.001")
                   : fmt::format("{:.{}f}", p, p < 0.1 ? 3 : 2);
}

std::string metric_line(const CompareResult& r, const MetricSummary& m) {
  std::string line =
      fmt::format("{}: {} -> {}", title(m), metric_text(m, m.reference),
                  metric_text(m, m.candidate));
  if (m.difference) line += fmt::format(" ({})", change_text(m));
  if (r.answers && m.name == "accuracy")
    line += fmt::format(", {} and {} right of {}",
                        count_text(r.answers->reference_correct),
                        count_text(r.answers->candidate_correct),
                        count_noun(m.samples, "sample"));
  if (m.p) line += fmt::format("; McNemar's exact p {}", p_text(*m.p));
  line += ".";
  if (!m.difference && !m.note.empty())
    line += fmt::format(" It is undefined: {}.", m.note);
  return line;
}

// Of the first metric that can tell: how small a loss could have been seen.
std::string sight_line(const CompareResult& r) {
  for (const MetricSummary& m : r.metrics) {
    if (!m.detectable) continue;
    return fmt::format(
        "With {}, this finds a loss of {} from {} on (4 times in 5); a smaller "
        "one may stay unseen.",
        count_noun(m.samples, "sample"), m.name, size_text(m, *m.detectable));
  }
  return "";
}

std::string ties_line(const AnswerSummary& a) {
  std::string line = fmt::format(
      "Ties for the best score: {} in the original, {} in the "
      "copy; the lowest index counts as the answer",
      count_text(a.reference_ties), count_text(a.candidate_ties));
  if (a.reference_tied_wrong + a.candidate_tied_wrong > 0)
    line += fmt::format(
        ", so that {} and {} count as wrong though the right "
        "one was as good",
        count_text(a.reference_tied_wrong), count_text(a.candidate_tied_wrong));
  line += ".";
  if (a.flipped_by_tie > 0)
    line += fmt::format(" {} of the changed answers: no more than that.",
                        count_text(a.flipped_by_tie));
  return line;
}

std::string gap_text(const std::optional<double>& gap) {
  return gap ? significant(*gap) : "-";
}

}  // namespace

std::string class_text(const AnswerSummary& a, int64_t id) {
  return id >= 0 && id < std::ssize(a.names) ? a.names[static_cast<size_t>(id)]
                                             : fmt::format("{}", id);
}

std::string metric_text(const MetricSummary& m,
                        const std::optional<double>& v) {
  if (!v) return "undefined";
  return m.share ? percent_text(*v) : significant(*v, 4);
}

std::string change_text(const MetricSummary& m) {
  if (!m.difference) return "undefined";
  std::string text =
      m.share ? points_text(*m.difference) : signed_text(m, *m.difference);
  // Where no sample changed, the bootstrap has nothing to draw from.
  if (m.interval && m.interval->low < m.interval->high)
    text += fmt::format("; 95 %: {} to {}", signed_text(m, m.interval->low),
                        signed_text(m, m.interval->high));
  return text;
}

std::string answers_text(const CompareResult& r, const TextOptions& options) {
  std::string out;
  const auto line = [&](const std::string& s) {
    if (!s.empty()) out += wrap_text(s, options.width);
  };
  for (const MetricSummary& m : r.metrics)
    if (m.samples > 0) line(metric_line(r, m));
  for (const Figure& f : r.figures)
    line(f.value ? fmt::format("{}: {} (metric command).", f.name,
                               significant(*f.value, 4))
                 : fmt::format("{}: {} -> {} (metric command).", f.name,
                               significant(f.reference.value_or(NAN), 4),
                               significant(f.candidate.value_or(NAN), 4)));
  if (r.answers && r.answers->samples > 0) {
    const AnswerSummary& a = *r.answers;
    line(a.flipped == 0
             ? std::string("Answers: every one is the same.")
             : fmt::format("Answers: {} changed ({}); {} became wrong, {} "
                           "became right.",
                           count_text(a.flipped),
                           percent_text(a.flipped_share()),
                           count_text(a.flipped_to_wrong),
                           count_text(a.flipped_to_right)));
    if (a.reference_ties + a.candidate_ties > 0) line(ties_line(a));
  }
  line(sight_line(r));
  if (!r.metrics.empty() && r.metrics[0].uncounted > 0)
    line(
        fmt::format("{} could not be counted: their outputs differ in shape "
                    "or type.",
                    count_noun(r.metrics[0].uncounted, "sample")));
  return out;
}

std::string flips_title(const AnswerSummary& a) {
  return a.flipped > std::ssize(a.first_flips)
             ? fmt::format("The first {} of {} flipped samples",
                           a.first_flips.size(), count_text(a.flipped))
             : std::string("Flipped samples");
}

Table flips_table(const AnswerSummary& a) {
  Table table{{{"sample", Align::right},
               {"label", Align::right},
               {"original", Align::right},
               {"copy", Align::right},
               {"", Align::left},
               {"original's lead", Align::right},
               {"copy's lead", Align::right}},
              {}};
  for (const Flip& f : a.first_flips)
    table.rows.push_back(
        {fmt::format("{}", f.sample), class_text(a, f.label),
         class_text(a, f.reference_answer), class_text(a, f.candidate_answer),
         f.reference_answer == f.label   ? "became wrong"
         : f.candidate_answer == f.label ? "became right"
                                         : "wrong before",
         gap_text(f.reference_gap), gap_text(f.candidate_gap)});
  return table;
}

}  // namespace octavo
