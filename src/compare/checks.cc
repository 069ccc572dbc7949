#include "compare/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/names.h"
#include "compare/labels.h"
#include "octavo/error.h"

namespace octavo {
namespace {

void check_range(const std::optional<double>& value, const char* flag,
                 double least, double most) {
  // Written so that NaN is refused too.
  if (value && !(*value >= least && *value <= most))
    throw Error(ErrorKind::usage,
                fmt::format("the tolerance {} is {}, but must be a number "
                            "{}",
                            flag, *value,
                            std::isinf(most)
                                ? fmt::format("not below {}", least)
                                : fmt::format("from {} to {}", least, most)));
}

double as_double(const Scalar& v) {
  if (const auto* d = std::get_if<double>(&v)) return *d;
  if (const auto* i = std::get_if<int64_t>(&v)) return static_cast<double>(*i);
  if (const auto* u = std::get_if<uint64_t>(&v)) return static_cast<double>(*u);
  return std::nan("");
}

Check check_max_abs(const OutputSummary& o, double limit) {
  Check c;
  c.what = "max abs difference of " + o.name;
  c.limit = limit;
  const int64_t differ = o.elements - o.equal;
  if (o.measure == Measure::exact) {
    // There is no distance: only equal elements are within any tolerance.
    c.ok = differ == 0;
    if (c.ok)
      c.measured = 0;
    else
      c.detail = fmt::format("{} of {} {} elements differ", differ, o.elements,
                             dtype_name(o.type));
    return c;
  }
  if (o.max_abs) c.measured = as_double(*o.max_abs);
  c.ok = !c.measured || *c.measured <= limit;
  if (o.non_finite.mismatching > 0) {
    c.ok = false;
    c.detail = fmt::format("{} pairs with NaN or infinity do not match",
                           o.non_finite.mismatching);
  }
  return c;
}

Check check_cosine(const OutputSummary& o, double limit) {
  Check c;
  c.what = "cosine of " + o.name;
  c.relation = ">=";
  c.limit = limit;
  c.measured = o.cosine;
  // Undefined (zeros, nothing finite, nothing at all) is fine only where
  // everything is equal.
  c.ok = o.cosine ? *o.cosine >= limit : o.equal == o.elements;
  if (!o.cosine) c.detail = "undefined";
  if (o.non_finite.mismatching > 0) {
    c.ok = false;
    c.detail = fmt::format("{} pairs with NaN or infinity do not match",
                           o.non_finite.mismatching);
  }
  return c;
}

Check check_share(const AnswerSummary& a, const char* what, int64_t count,
                  double limit) {
  Check c;
  c.what = what;
  c.limit = limit;
  if (a.samples > 0)
    c.measured =
        100 * static_cast<double>(count) / static_cast<double>(a.samples);
  // Counts against counts: 1 of 200 is within 0.5 %, not a rounding above.
  c.ok = a.samples > 0 && a.uncounted == 0 &&
         100 * static_cast<double>(count) <=
             limit * static_cast<double>(a.samples);
  if (a.uncounted > 0)
    c.detail = fmt::format("{} samples could not be counted", a.uncounted);
  return c;
}

}  // namespace

void check_tolerances(const CompareOptions& options) {
  const Tolerances& t = options.tolerances;
  check_range(t.max_abs, "--max-abs", 0, INFINITY);
  check_range(t.min_cosine, "--min-cosine", -1, 1);
  check_range(t.max_drop, "--max-drop", 0, 100);
  check_range(t.max_flips, "--max-flips", 0, 100);
  if ((t.max_drop || t.max_flips) && !options.labels)
    throw Error(ErrorKind::usage,
                fmt::format("{} needs labels: give --labels FILE",
                            t.max_drop ? "--max-drop" : "--max-flips"));
}

void check_labels(const Runner& reference, const SampleSource& samples,
                  const CompareOptions& options) {
  if (!options.labels) return;
  const int64_t labels = Labels(*options.labels).samples();
  if (labels != samples.samples())
    throw Error(ErrorKind::usage,
                fmt::format("there are {} labels for {} samples ({}); one "
                            "label for each sample is needed",
                            labels, samples.samples(), samples.description()));
  if (options.label_output.empty()) return;
  std::vector<std::string> names;
  for (const Port& port : reference.outputs()) names.push_back(port.name);
  if (std::find(names.begin(), names.end(), options.label_output) ==
      names.end())
    throw Error(ErrorKind::usage,
                fmt::format("the original has no output '{}' for the labels; "
                            "it has {}",
                            options.label_output, name_list(names)));
}

std::vector<Check> make_checks(const CompareResult& result,
                               const Tolerances& t) {
  std::vector<Check> checks;
  if (result.answers && t.max_drop) {
    const AnswerSummary& a = *result.answers;
    checks.push_back(check_share(a, "accuracy drop in points",
                                 a.reference_correct - a.candidate_correct,
                                 *t.max_drop));
  }
  if (result.answers && t.max_flips)
    checks.push_back(check_share(*result.answers, "flipped answers in percent",
                                 result.answers->flipped, *t.max_flips));
  for (const OutputSummary& o : result.outputs) {
    if (o.measure == Measure::none) continue;
    if (t.max_abs) checks.push_back(check_max_abs(o, *t.max_abs));
    if (t.min_cosine && o.measure == Measure::numeric)
      checks.push_back(check_cosine(o, *t.min_cosine));
  }
  return checks;
}

bool CompareResult::comparable() const {
  if (!only_reference.empty()) return false;
  for (const OutputSummary& o : outputs)
    if (o.failed_batches > 0) return false;
  for (const MatchSummary& m : matches)
    if (m.failed_batches > 0) return false;
  return true;
}

Verdict CompareResult::verdict() const {
  if (!comparable()) return Verdict::outside;
  if (checks.empty()) return Verdict::none;
  for (const Check& c : checks)
    if (!c.ok) return Verdict::outside;
  return Verdict::within;
}

}  // namespace octavo
