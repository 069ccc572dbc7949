// The metrics' names: one table for both ways.
#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "base/names.h"
#include "octavo/error.h"
#include "octavo/task.h"

namespace octavo {
namespace {

struct MetricFacts {
  Metric metric;
  const char* name;
  bool higher_is_better;
  bool share;
};

constexpr MetricFacts kFacts[] = {
    {Metric::accuracy, "accuracy", true, true},
    {Metric::top_k, "top-5", true, true},
    {Metric::f1_macro, "f1-macro", true, false},
    {Metric::f1_micro, "f1-micro", true, false},
    {Metric::auc, "auc", true, false},
    {Metric::mae, "mae", false, false},
    {Metric::rmse, "rmse", false, false},
    {Metric::r2, "r2", true, false},
    {Metric::perplexity, "perplexity", false, false},
    {Metric::cosine_retrieval, "cosine-retrieval", true, true},
};

const MetricFacts& facts(Metric metric) noexcept {
  for (const MetricFacts& f : kFacts)
    if (f.metric == metric) return f;
  return kFacts[0];
}

}  // namespace

std::string metric_name(const MetricSpec& spec) {
  if (spec.metric == Metric::top_k) return fmt::format("top-{}", spec.k);
  return facts(spec.metric).name;
}

MetricSpec parse_metric(std::string_view name) {
  if (name == "f1") return {Metric::f1_macro};
  if (name == "top-k") return {Metric::top_k};
  for (const MetricFacts& f : kFacts)
    if (name == f.name) return {f.metric};
  if (name.starts_with("top-")) {
    int64_t k = 0;
    const char* end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + 4, end, k);
    if (parsed.ec == std::errc() && parsed.ptr == end && k > 0)
      return {Metric::top_k, k};
  }
  std::vector<std::string> names;
  for (const MetricFacts& f : kFacts) names.emplace_back(f.name);
  const std::string hint = did_you_mean(name, names);
  throw Error(
      ErrorKind::usage,
      fmt::format("there is no metric '{}'; {} {} (top-K for any K)", name,
                  hint.empty() ? "there are" : hint + " There are",
                  name_list(names)));
}

bool higher_is_better(Metric metric) noexcept {
  return facts(metric).higher_is_better;
}

bool is_share(Metric metric) noexcept { return facts(metric).share; }

}  // namespace octavo
