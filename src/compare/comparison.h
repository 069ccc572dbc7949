// All that accumulates while two models are compared: accumulate, merge,
// finish, and bytes for both ways.
#pragma once

#include <string>
#include <vector>

#include "compare/match.h"
#include "compare/task_stats.h"
#include "compare/walk.h"
#include "octavo/compare.h"

namespace octavo {

struct ComparisonStats {
  std::vector<PartStats> outputs;                  // one for each pair
  std::vector<std::optional<MatchStats>> matches;  // then `outputs` are none
  std::vector<std::string> notes;  // how each pair came together
  TaskStats task;
  std::vector<std::string> only_reference, only_candidate;
  std::string samples_description;
  bool synthetic = false;
  bool partial = false;
  int64_t batches = 0, samples = 0;
};

// On batches [begin, end) of the samples.
ComparisonStats accumulate(Runner& reference, Runner& candidate,
                           const SampleSource& samples,
                           const CompareOptions& options, int64_t begin,
                           int64_t end);

// Both are of the same models, samples and options; `other` comes later.
// Throws Error(usage) where their outputs differ.
void merge(ComparisonStats& stats, const ComparisonStats& other);

CompareResult finish(const ComparisonStats& stats,
                     const CompareOptions& options);

std::vector<std::byte> to_bytes(const ComparisonStats& stats);
ComparisonStats comparison_stats_from_bytes(Bytes bytes);

}  // namespace octavo
