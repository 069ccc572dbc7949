#include "compare/metrics.h"

#include <cmath>
#include <vector>

#include "compare/mcnemar.h"

namespace octavo {
namespace {

// Two-sided 5 %, power 80 %: 1.960 + 0.842 standard errors of the difference.
constexpr double kErrorsSeen = 2.801585218;

std::optional<double> defined(double v) {
  return std::isnan(v) ? std::nullopt : std::optional<double>(v);
}

}  // namespace

MetricSummary summarize(const ReadyMetric& metric, uint64_t seed) {
  MetricSummary s;
  s.name = metric_name(metric.spec);
  s.higher_is_better = higher_is_better(metric.spec.metric);
  s.share = is_share(metric.spec.metric);
  s.samples = static_cast<int64_t>(metric.samples);
  s.note = metric.note;
  const std::vector<uint32_t> once(metric.samples, 1);
  s.reference = defined(metric.value(0, once));
  s.candidate = defined(metric.value(1, once));
  if (!s.reference || !s.candidate) {
    if (s.note.empty()) s.note = "undefined for these samples";
    return s;
  }
  s.difference = *s.candidate - *s.reference;
  if (metric.discordant) {
    const auto [lost, gained] = *metric.discordant;
    const auto n = static_cast<double>(metric.samples);
    // From the counts: 1 of 200 is exactly 0.005.
    s.difference = static_cast<double>(gained - lost) / n;
    s.p = mcnemar_p(lost, gained);
    s.detectable =
        detectable_drop(s.samples, static_cast<double>(lost + gained) / n);
  }
  const BootstrapResult drawn =
      metric.discordant
          ? bootstrap_discordant(s.samples, metric.discordant->lost,
                                 metric.discordant->gained, seed)
          : bootstrap_difference(metric.samples, metric.value, seed);
  s.interval = drawn.interval;
  if (!metric.discordant && drawn.interval && drawn.standard_error > 0)
    s.detectable = kErrorsSeen * drawn.standard_error;
  return s;
}

}  // namespace octavo
