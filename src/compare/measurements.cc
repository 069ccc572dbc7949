// What a comparison measured, by name: the one list that limits, baselines
// and their error messages go by.
#include <fmt/format.h>

#include <cmath>

#include "compare/limit_names.h"
#include "octavo/limits.h"

namespace octavo {
namespace {

// Measures of a floating output.
struct OutputFacts {
  const char* name;
  Scale scale;
  std::optional<double> (*value)(const OutputSummary&);
};

constexpr OutputFacts kOutputFacts[] = {
    {"mean_abs", Scale::zero,
     [](const OutputSummary& o) { return o.mean_abs; }},
    {"rmse", Scale::zero, [](const OutputSummary& o) { return o.rmse; }},
    {"relative_l2", Scale::zero,
     [](const OutputSummary& o) { return o.relative_l2; }},
    {"cosine", Scale::one, [](const OutputSummary& o) { return o.cosine; }},
    {"sqnr_db", Scale::decibel,
     [](const OutputSummary& o) { return o.sqnr_db; }},
    {"pearson", Scale::one,
     [](const OutputSummary& o) { return o.spread.pearson; }},
    {"p50", Scale::zero, [](const OutputSummary& o) { return o.spread.p50; }},
    {"p90", Scale::zero, [](const OutputSummary& o) { return o.spread.p90; }},
    {"p99", Scale::zero, [](const OutputSummary& o) { return o.spread.p99; }},
    {"p999", Scale::zero, [](const OutputSummary& o) { return o.spread.p999; }},
    {"max_relative", Scale::zero,
     [](const OutputSummary& o) { return o.spread.max_relative; }},
    {"mean_relative", Scale::zero,
     [](const OutputSummary& o) { return o.spread.mean_relative; }},
};

double as_double(const Scalar& v) {
  if (const auto* d = std::get_if<double>(&v)) return *d;
  if (const auto* i = std::get_if<int64_t>(&v)) return static_cast<double>(*i);
  if (const auto* u = std::get_if<uint64_t>(&v)) return static_cast<double>(*u);
  return std::nan("");
}

void add_output(std::vector<Measurement>& out, const OutputSummary& o) {
  if (o.measure == Measure::none) return;
  const bool same = o.equal == o.elements;
  std::string fault;
  if (o.non_finite.mismatching > 0)
    fault = fmt::format("{} pairs with NaN or infinity do not match",
                        o.non_finite.mismatching);
  const auto add = [&](const char* name, std::optional<double> value,
                       Scale scale, const std::string& why = {}) {
    out.push_back({o.name + "." + name, value, scale, !value && same, why});
  };
  if (o.measure == Measure::exact)
    add("max_abs", same ? std::optional<double>(0) : std::nullopt, Scale::zero,
        same ? ""
             : fmt::format("{} of {} {} elements differ", o.elements - o.equal,
                           o.elements, dtype_name(o.type)));
  else
    add("max_abs",
        o.max_abs ? std::optional<double>(as_double(*o.max_abs)) : std::nullopt,
        Scale::zero, fault);
  if (o.measure == Measure::numeric)
    for (const OutputFacts& f : kOutputFacts)
      add(f.name, f.value(o), f.scale, fault);
  if (o.outside) add("outside", o.outside, Scale::zero, fault);
  if (o.scores) {
    add("kl", o.scores->kl, Scale::zero, fault);
    add("top1_agreement", o.scores->top1, Scale::one, fault);
    if (o.scores->top5)
      add("top5_agreement", o.scores->top5, Scale::one, fault);
  }
  add("equal",
      o.elements > 0 ? std::optional<double>(static_cast<double>(o.equal) /
                                             static_cast<double>(o.elements))
                     : std::nullopt,
      Scale::one);
}

void add_metric(std::vector<Measurement>& out, const MetricSummary& m) {
  std::string fault;
  if (m.uncounted > 0)
    fault = fmt::format("{} samples could not be counted", m.uncounted);
  const auto add = [&](const char* part, std::optional<double> value,
                       Scale scale = Scale::none) {
    out.push_back({m.name + "." + part, value, scale, false, fault});
  };
  add("original", m.reference);
  add("copy", m.candidate, m.higher_is_better ? Scale::one : Scale::zero);
  const std::string loss = m.higher_is_better ? "drop" : "rise";
  add(loss.c_str(), m.loss());
  std::optional<double> worst;
  if (m.interval)
    worst = m.higher_is_better ? -m.interval->low : m.interval->high;
  add((loss + ".high").c_str(), worst);
  if (m.p) add("p", m.p);
}

}  // namespace

std::vector<std::string> output_measure_names() {
  std::vector<std::string> names = {"max_abs"};
  for (const OutputFacts& f : kOutputFacts) names.emplace_back(f.name);
  for (const char* more : {"outside", "kl", "top1_agreement", "top5_agreement",
                           "equal", "recall", "precision", "likeness"})
    names.emplace_back(more);
  return names;
}

std::vector<Measurement> measurements(const CompareResult& r) {
  std::vector<Measurement> out;
  for (const OutputSummary& o : r.outputs) add_output(out, o);
  for (const MatchSummary& m : r.matches) {
    const auto add = [&](const char* name, std::optional<double> value) {
      out.push_back(
          {m.spec.output + "." + name, value, Scale::one, false, m.failure});
    };
    add("recall", m.recall);
    add("precision", m.precision);
    add("likeness", m.mean);
  }
  for (const MetricSummary& m : r.metrics) add_metric(out, m);
  for (const Probe& p : r.probes) {
    if (p.original)
      out.push_back({p.name + ".original", p.original->value, Scale::zero});
    if (p.copy) out.push_back({p.name + ".copy", p.copy->value, Scale::zero});
  }
  // Nobody but the user knows which way is worse.
  for (const Figure& f : r.figures) {
    if (f.value) out.push_back({f.name, f.value});
    if (!f.reference || !f.candidate) continue;
    out.push_back({f.name + ".original", f.reference});
    out.push_back({f.name + ".copy", f.candidate});
    out.push_back({f.name + ".change", *f.candidate - *f.reference});
  }
  if (r.answers && r.answers->samples > 0) {
    const AnswerSummary& a = *r.answers;
    std::string fault;
    if (a.uncounted > 0)
      fault = fmt::format("{} samples could not be counted", a.uncounted);
    out.push_back({"flips", a.flipped_share(), Scale::zero, false, fault});
    out.push_back({"flips.to_wrong",
                   static_cast<double>(a.flipped_to_wrong) /
                       static_cast<double>(a.samples),
                   Scale::zero, false, fault});
  }
  return out;
}

std::vector<std::string> metric_measurement_names(const MetricSpec& spec) {
  // Those of a metric of which everything is known.
  MetricSummary m;
  m.name = metric_name(spec);
  m.higher_is_better = higher_is_better(spec.metric);
  if (is_share(spec.metric)) m.p = 1;
  std::vector<Measurement> all;
  add_metric(all, m);
  std::vector<std::string> names;
  for (const Measurement& one : all) names.push_back(one.name);
  return names;
}

}  // namespace octavo
