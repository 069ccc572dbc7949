// Pairs of values, item by item: sequences and maps become tensors with path
// names ("output[3].values"), each with statistics of its own. Its door:
// `walk`.
#pragma once

#include <string>
#include <vector>

#include "compare/output_stats.h"
#include "octavo/value.h"

namespace octavo {

// Statistics of one output's parts, in the order in which they were first
// seen. Items of a sequence from the 17th on share one entry
// ("output[16...]"), so that its size is bounded whatever a model gives.
struct PartStats {
  std::vector<OutputStats> parts;
  OutputViews views;  // of parts that are yet to come
  OutputStats& part(const std::string& name);
};

// Adds a pair of values. Unequal kinds, counts and map keys are recorded as
// failures under the path where they were found.
void walk(PartStats& stats, const Value& reference, const Value& candidate,
          const Place& place);

}  // namespace octavo
