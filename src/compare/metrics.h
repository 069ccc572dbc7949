// A metric whose samples are all seen: its value over any weighting of them,
// and what chance may have done to it. What every kind of statistics in this
// folder ends in. Its door: `summarize`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compare/bootstrap.h"
#include "octavo/task.h"

namespace octavo {

// Samples on which exactly one model is right.
struct Discordant {
  int64_t lost = 0;    // the reference only
  int64_t gained = 0;  // the candidate only
};

struct ReadyMetric {
  MetricSpec spec;
  size_t samples = 0;
  WeightedMetric value;                  // owns what it reads
  std::optional<Discordant> discordant;  // of metrics that count right samples
  std::string note;                      // goes to the summary
};

// Both models' values, the difference and its interval. Costs thousands of
// evaluations: `value` takes time in proportion to the samples.
MetricSummary summarize(const ReadyMetric& metric, uint64_t seed);

}  // namespace octavo
