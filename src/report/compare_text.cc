#include "report/compare_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "report/check_text.h"
#include "report/layers_report.h"
#include "report/probes_report.h"
#include "report/table.h"
#include "report/units.h"
#include "report/wrap.h"

namespace octavo {
namespace {

constexpr size_t kWorstShown = 5;
constexpr size_t kFailedShown = 5;

// Exact, as far as a line of text can be.
std::string value_text(const Scalar& v) {
  if (const auto* d = std::get_if<double>(&v)) return plain_number(*d);
  if (const auto* s = std::get_if<std::string>(&v))
    return fmt::format("\"{}\"", *s);
  if (const auto* i = std::get_if<int64_t>(&v)) return fmt::format("{}", *i);
  return fmt::format("{}", std::get<uint64_t>(v));
}

std::string difference_text(const Scalar& v) {
  const auto* d = std::get_if<double>(&v);
  return d ? significant(*d) : value_text(v);
}

double as_double(const Scalar& v) {
  if (const auto* d = std::get_if<double>(&v)) return *d;
  if (const auto* u = std::get_if<uint64_t>(&v)) return static_cast<double>(*u);
  return 0;
}

template <typename F>
std::string or_dash(const std::optional<double>& v, F text) {
  return v ? text(*v) : std::string("-");
}

std::string place_text(const WorstElement& w) {
  std::string where = fmt::format("batch {}", w.batch);
  if (w.sample == w.batch)
    where = fmt::format("sample {}", w.sample);
  else if (w.sample >= 0)
    where = fmt::format("sample {} (in {})", w.sample, where);
  return fmt::format("{}, {} {}", w.path, where, shape_text(w.index));
}

std::string worst_text(const CompareResult& r, const TextOptions& options) {
  std::vector<const OutputSummary*> differing;
  for (const OutputSummary& o : r.outputs)
    if (o.worst) differing.push_back(&o);
  std::stable_sort(differing.begin(), differing.end(),
                   [](const OutputSummary* a, const OutputSummary* b) {
                     return (a->max_abs ? as_double(*a->max_abs) : 0) >
                            (b->max_abs ? as_double(*b->max_abs) : 0);
                   });
  std::string out;
  for (size_t i = 0; i < std::min(differing.size(), kWorstShown); ++i) {
    const OutputSummary& o = *differing[i];
    const WorstElement& w = *o.worst;
    std::string line = fmt::format(
        "{} {}: original {}, copy {}",
        o.max_abs ? "Largest difference:" : "First difference:", place_text(w),
        value_text(w.reference), value_text(w.candidate));
    if (o.max_abs) line += ", apart " + difference_text(*o.max_abs);
    out += wrap_text(line, options.width);
  }
  if (differing.size() > kWorstShown)
    out += fmt::format("and of {} more outputs: --json has them all\n",
                       differing.size() - kWorstShown);
  return out;
}

// Half of the differences, most of them, nearly all; and the worst samples.
std::string spread_text(const OutputSummary& o, const TextOptions& options) {
  const SpreadSummary& s = o.spread;
  if (!s.p50 || !o.max_abs || as_double(*o.max_abs) == 0) return "";
  std::string out = wrap_text(
      fmt::format("Differences of {}: half at most {}, 90 % {}, 99 % {}, "
                  "99.9 % {}.",
                  o.name, significant(*s.p50, 2), significant(*s.p90, 2),
                  significant(*s.p99, 2), significant(*s.p999, 2)),
      options.width);
  if (s.worst.size() < 2) return out;
  std::vector<std::string> samples;
  for (size_t i = 0; i < std::min(s.worst.size(), kWorstShown); ++i)
    samples.push_back(fmt::format("{} ({})", s.worst[i].sample,
                                  significant(s.worst[i].max_abs, 2)));
  return out + wrap_text(fmt::format("Samples that differ most: {}.",
                                     fmt::join(samples, ", ")),
                         options.width);
}

// What was asked for besides.
std::string views_text(const OutputSummary& o, const TextOptions& options) {
  std::string out;
  if (o.outside)
    out += wrap_text(fmt::format("Outside atol and rtol: {} of {}.",
                                 percent_text(*o.outside), o.name),
                     options.width);
  if (o.scores) {
    std::string line =
        fmt::format("Scores of {} ({}, {}): KL divergence {}, same best in {}",
                    o.name, o.scores->logits ? "logits" : "probabilities",
                    count_noun(o.scores->rows, "row"),
                    significant(o.scores->kl, 2), percent_text(o.scores->top1));
    if (o.scores->top5)
      line += fmt::format(", among the best five in {}",
                          percent_text(*o.scores->top5));
    out += wrap_text(line + ".", options.width);
  }
  if (!o.channels.empty()) {
    std::vector<std::string> worst;
    for (size_t i = 0; i < std::min(o.channels.size(), kWorstShown); ++i)
      worst.push_back(fmt::format("{} ({})", o.channels[i].channel,
                                  significant(o.channels[i].rmse, 2)));
    out += wrap_text(
        fmt::format("Channels of {} that differ most, of {}, by RMSE: {}.",
                    o.name, count_text(o.channel_count),
                    fmt::join(worst, ", ")),
        options.width);
  }
  return out;
}

std::string non_finite_text(const OutputSummary& o,
                            const TextOptions& options) {
  const NonFinite& n = o.non_finite;
  if (n.matching + n.mismatching == 0) return "";
  std::string line =
      fmt::format("NaN or infinity in {}: {} match, {} do not", o.name,
                  count_noun(n.matching, "pair"), count_text(n.mismatching));
  if (n.nan_became_finite > 0)
    line += fmt::format("; {} NaN of the original became a number",
                        count_text(n.nan_became_finite));
  if (o.first_non_finite)
    line += fmt::format("; first at {}: original {}, copy {}",
                        place_text(*o.first_non_finite),
                        value_text(o.first_non_finite->reference),
                        value_text(o.first_non_finite->candidate));
  line += ". Such pairs are in no other number.";
  return wrap_text(line, options.width);
}

std::string context_text(const CompareResult& r, const CompareContext& c,
                         const TextOptions& options) {
  std::string out = Paint(options.colour).strong("Compared") + "\n";
  const auto line = [&](const char* label, const std::string& text) {
    out += wrap_text(text, options.width, fmt::format("  {:<10}", label));
  };
  const auto model = [](const std::string& path, uint64_t bytes) {
    return bytes > 0 ? fmt::format("{} ({})", path, bytes_text(bytes)) : path;
  };
  line("original", model(c.original, c.original_bytes));
  line("copy", model(c.copy, c.copy_bytes));
  std::string samples = r.samples_description;
  if (r.partial)
    samples += fmt::format(", stopped after {}", count_text(r.samples));
  line("samples", samples);
  if (c.runtime_version.empty()) return out;
  std::string runtime = "ONNX Runtime " + c.runtime_version;
  if (!c.providers.empty())
    runtime += fmt::format(", {}", fmt::join(c.providers, ", "));
  if (c.threads > 0) runtime += ", " + count_noun(c.threads, "thread");
  line("runtime", runtime);
  return out;
}

// Blocks with an empty line between them.
void add_block(std::string& out, const std::string& block) {
  if (block.empty()) return;
  if (!out.empty()) out += '\n';
  out += block;
}

}  // namespace

// Outputs that could not be compared, one line each.
std::string failures_text(const CompareResult& r, const TextOptions& options) {
  std::string out;
  size_t shown = 0, all = 0;
  const auto add = [&](const std::string& sentence) {
    if (++all <= kFailedShown) {
      out += wrap_text(sentence, options.width, "  ");
      ++shown;
    }
  };
  for (const std::string& name : r.only_reference)
    add(fmt::format("{}: only the original has this output", name));
  for (const OutputSummary& o : r.outputs)
    if (o.failed_batches > 0)
      add(fmt::format("{} in {} of {} batches, first in batch {}: {}", o.name,
                      o.failed_batches, r.batches, o.first_failed_batch,
                      o.failure));
  for (const MatchSummary& m : r.matches)
    if (m.failed_batches > 0)
      add(fmt::format("{} in {} of {} batches, first in batch {}: {}",
                      m.spec.output, m.failed_batches, r.batches,
                      m.first_failed_batch, m.failure));
  if (shown < all)
    out += fmt::format("  and {} more; --json has them all\n", all - shown);
  return out;
}

std::string verdict_text(const CompareResult& r, const TextOptions& options) {
  const Paint paint(options.colour);
  const std::string synthetic =
      r.synthetic ? " The inputs were synthetic: this says nothing about real "
                    "answers."
                  : "";
  const std::string partial =
      r.partial ? " It was stopped early and speaks of a part of the samples."
                : "";
  const auto line = [&](const std::string& s) {
    return wrap_text(s + synthetic + partial, options.width);
  };
  std::string out;
  if (!r.comparable()) {
    out +=
        paint.bad(line("NOT COMPARABLE: not every output of the original "
                       "could be held against the copy."));
    out += failures_text(r, options);
  }
  std::vector<const Check*> failed;
  for (const Check& c : r.checks)
    if (!c.ok) failed.push_back(&c);
  if (r.checks.empty()) {
    if (r.comparable())
      out += line(
          "No verdict: you gave no tolerance; there is no universal "
          "threshold, your task sets it (see --help).");
  } else if (failed.empty()) {
    out += paint.good(line(fmt::format(
        "WITHIN your tolerances: {}.",
        r.checks.size() == 1
            ? std::string("the one check passed")
            : fmt::format("all {} checks passed", r.checks.size()))));
  } else {
    out += paint.bad(line(
        fmt::format("OUTSIDE your tolerances: {} of {} failed.", failed.size(),
                    count_noun(std::ssize(r.checks), "check"))));
  }
  for (size_t i = 0; i < std::min(failed.size(), kFailedShown); ++i)
    out += wrap_text(
        check_text(*failed[i]) + (r.synthetic ? " (synthetic inputs)" : ""),
        options.width, "  ");
  if (failed.size() > kFailedShown)
    out += fmt::format("  and {} more; --json has them all\n",
                       failed.size() - kFailedShown);
  return out;
}

Table outputs_table(const CompareResult& r) {
  Table table{{{"output", Align::left, true},
               {"type"},
               {"max abs", Align::right},
               {"mean abs", Align::right},
               {"RMSE", Align::right},
               {"cosine", Align::right},
               {"SQNR dB", Align::right},
               {"equal", Align::right}},
              {}};
  const auto three = [](double v) { return significant(v); };
  for (const OutputSummary& o : r.outputs) {
    if (o.measure == Measure::none) continue;
    table.rows.push_back(
        {o.name, std::string(dtype_name(o.type)),
         o.max_abs ? difference_text(*o.max_abs) : "-",
         or_dash(o.mean_abs, three), or_dash(o.rmse, three),
         or_dash(o.cosine, cosine_text),
         or_dash(o.sqnr_db,
                 [](double v) {
                   return std::isinf(v) ? std::string("infinite")
                                        : fmt::format("{:.1f}", v);
                 }),
         o.elements > 0 ? percent_text(static_cast<double>(o.equal) /
                                       static_cast<double>(o.elements))
                        : "-"});
  }
  return table;
}

std::string outputs_text(const CompareResult& r, const TextOptions& options) {
  const Table table = outputs_table(r);
  if (table.rows.empty()) return "";
  return table_text(table, {options.width, 0, options.colour});
}

std::string matches_text(const CompareResult& r, const TextOptions& options) {
  std::string out;
  for (const MatchSummary& m : r.matches) {
    const auto percent = [](const std::optional<double>& v) {
      return v ? percent_text(*v) : std::string("-");
    };
    std::string line = fmt::format(
        "Items of {}, paired by {} of at least {}: {} of the original and {} "
        "of the copy, {} paired ({} and {})",
        m.spec.output, m.spec.kind == MatchKind::iou ? "IoU" : "cosine",
        plain_number(m.spec.least), count_text(m.reference),
        count_text(m.candidate), count_text(m.matched), percent(m.recall),
        percent(m.precision));
    if (m.mean)
      line += fmt::format("; {} {} on average, at least {}",
                          m.spec.kind == MatchKind::iou ? "IoU" : "cosine",
                          significant(*m.mean, 4), significant(*m.worst, 4));
    out += wrap_text(line + ".", options.width);
  }
  return out;
}

std::string details_text(const CompareResult& r, const TextOptions& options) {
  std::string details = matches_text(r, options) + worst_text(r, options);
  size_t spread = 0;
  for (const OutputSummary& o : r.outputs)
    if (spread++ < kWorstShown)
      details += spread_text(o, options) + views_text(o, options);
  for (const OutputSummary& o : r.outputs)
    details += non_finite_text(o, options);
  for (const OutputSummary& o : r.outputs)
    for (const std::string& note : o.notes)
      details += wrap_text(o.name + ": " + note + ".", options.width);
  for (const std::string& name : r.only_candidate)
    details +=
        wrap_text("Only the copy has the output " + name + ".", options.width);
  return details;
}

std::string compare_text(const CompareResult& r, const CompareContext& context,
                         const TextOptions& options) {
  std::string out;
  add_block(out, verdict_text(r, options) + answers_text(r, options));
  add_block(out, outputs_text(r, options));
  add_block(out, details_text(r, options));
  add_block(out, probes_text(r, options));
  if (context.layers) add_block(out, layers_text(*context.layers, options));
  if (r.answers && !r.answers->first_flips.empty())
    add_block(out, Paint(options.colour).strong(flips_title(*r.answers)) +
                       "\n" +
                       table_text(flips_table(*r.answers),
                                  {options.width, 2, options.colour}));
  add_block(out, context_text(r, context, options));
  return out;
}

}  // namespace octavo
