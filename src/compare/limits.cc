// Limits: read, checked before a run, held against what it measured.
#include "octavo/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/names.h"
#include "base/pattern.h"
#include "compare/limit_names.h"
#include "octavo/error.h"

namespace octavo {
namespace {

struct RelationFacts {
  const char* text;
  Relation relation;
};

// Longer ones first: "<" is the beginning of "<=".
constexpr RelationFacts kRelations[] = {
    {"<=", Relation::at_most}, {">=", Relation::at_least},
    {"==", Relation::equal},   {"<", Relation::less},
    {">", Relation::greater},
};

std::string_view trimmed(std::string_view s) {
  constexpr const char* kBlank = " \t";
  const size_t first = s.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(kBlank) - first + 1);
}

[[noreturn]] void malformed(std::string_view text, const std::string& why) {
  throw Error(ErrorKind::usage,
              fmt::format("the limit '{}' cannot be read: {}; it is written "
                          "NAME <= NUMBER, as in 'logits.cosine >= 0.999' or "
                          "'flips <= 1%'",
                          text, why));
}

// A percentage by its decimal text, for 0.7 / 100 is not the double 0.007.
std::optional<double> number(std::string_view text, bool percent) {
  std::string digits(text);
  if (percent) digits += digits.find_first_of("eE") == digits.npos ? "e-2" : "";
  const bool divide = percent && digits.size() == text.size();
  double value = 0;
  const char* begin = digits.data() + (digits.starts_with('+') ? 1 : 0);
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(begin, end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(value))
    return std::nullopt;
  return divide ? value / 100 : value;
}

bool holds(double value, Relation relation, double bound) {
  switch (relation) {
    case Relation::less:
      return value < bound;
    case Relation::at_most:
      return value <= bound;
    case Relation::greater:
      return value > bound;
    case Relation::at_least:
      return value >= bound;
    case Relation::equal:
      return value == bound;
  }
  return false;
}

std::string relation_text(Relation relation) {
  for (const RelationFacts& f : kRelations)
    if (f.relation == relation) return f.text;
  return "";
}

bool is_pattern(const std::string& name) {
  return name.find_first_of("*?") != std::string::npos ||
         (name.size() > 1 && name.front() == '/' && name.back() == '/');
}

Check hold(const Limit& limit, const Measurement& m) {
  Check c;
  c.what = m.name;
  c.relation = relation_text(limit.relation);
  c.limit = limit.bound;
  c.percent = limit.percent;
  c.measured = m.value;
  c.ok =
      m.fault.empty() && (m.value ? holds(*m.value, limit.relation, limit.bound)
                                  : m.nothing_differs);
  c.detail = m.fault;
  if (!m.value && m.fault.empty()) c.detail = "undefined";
  return c;
}

}  // namespace

Limit parse_limit(std::string_view text) {
  size_t at = std::string_view::npos;
  const RelationFacts* found = nullptr;
  // The last one: a name may hold such characters, a number does not.
  for (const RelationFacts& f : kRelations) {
    const size_t here = text.rfind(f.text);
    if (here == std::string_view::npos) continue;
    if (!found || here > at) at = here, found = &f;
  }
  if (!found) malformed(text, "there is no <=, <, >=, > or == in it");
  Limit limit;
  limit.text = trimmed(text);
  limit.name = trimmed(text.substr(0, at));
  limit.relation = found->relation;
  std::string_view bound =
      trimmed(text.substr(at + std::string_view(found->text).size()));
  if (limit.name.empty()) malformed(text, "it names nothing");
  limit.percent = bound.ends_with('%');
  if (limit.percent) bound = trimmed(bound.substr(0, bound.size() - 1));
  const std::optional<double> value = number(bound, limit.percent);
  if (!value) malformed(text, fmt::format("'{}' is no number", bound));
  limit.bound = *value;
  NamePattern(limit.name);  // a regular expression that is none throws here
  return limit;
}

void check_limits(const std::vector<Limit>& limits,
                  const std::vector<Port>& outputs, bool labels,
                  const std::vector<MetricSpec>& metrics,
                  const std::vector<std::string>& own) {
  const std::vector<std::string> measures = output_measure_names();
  std::vector<std::string> names;
  for (const Port& port : outputs)
    for (const std::string& m : measures) names.push_back(port.name + "." + m);
  std::vector<MetricSpec> specs = metrics;
  if (specs.empty())
    specs = {{Metric::accuracy}, {Metric::mae}, {Metric::rmse}};
  std::vector<std::string> task = {"flips", "flips.to_wrong"};
  for (const MetricSpec& spec : specs)
    for (const std::string& n : metric_measurement_names(spec))
      task.push_back(n);
  if (labels) names.insert(names.end(), task.begin(), task.end());
  names.insert(names.end(), own.begin(), own.end());

  for (const Limit& limit : limits) {
    const NamePattern pattern(limit.name);
    const auto matches = [&](const std::string& n) {
      return pattern.matches(n);
    };
    if (std::any_of(names.begin(), names.end(), matches)) continue;
    if (!labels && std::any_of(task.begin(), task.end(), matches))
      throw Error(ErrorKind::usage,
                  fmt::format("the limit '{}' needs labels: give --labels FILE",
                              limit.text));
    // Parts of sequences and maps get their names while models run.
    const bool part =
        std::any_of(outputs.begin(), outputs.end(), [&](const Port& port) {
          return port.kind != ValueKind::tensor &&
                 (is_pattern(limit.name) || limit.name.starts_with(port.name));
        });
    const bool measure = std::any_of(
        measures.begin(), measures.end(),
        [&](const std::string& m) { return limit.name.ends_with("." + m); });
    if (part && measure) continue;
    const std::string hint = did_you_mean(limit.name, names);
    throw Error(ErrorKind::usage,
                fmt::format("the limit '{}' names nothing that is measured; "
                            "{} {}",
                            limit.text,
                            hint.empty() ? "there are" : hint + " There are",
                            name_list(names, 16)));
  }
}

std::vector<Check> judge(const std::vector<Limit>& limits,
                         const std::vector<Measurement>& measured) {
  std::vector<Check> checks;
  for (const Limit& limit : limits) {
    const NamePattern pattern(limit.name);
    const size_t before = checks.size();
    for (const Measurement& m : measured)
      if (is_pattern(limit.name) ? pattern.matches(m.name)
                                 : m.name == limit.name)
        checks.push_back(hold(limit, m));
    if (checks.size() > before) continue;
    checks.push_back(hold(
        limit,
        {.name = limit.name, .fault = "nothing of this name was measured"}));
  }
  return checks;
}

}  // namespace octavo
