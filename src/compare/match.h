// Outputs that are sets: detections and vectors, whose number and order may
// differ. Items pair by likeness, the likest first. Its size does not depend
// on how much was compared.
#pragma once

#include <string>
#include <vector>

#include "compare/output_stats.h"
#include "compare/pack.h"
#include "octavo/compare.h"
#include "octavo/value.h"

namespace octavo {

struct MatchStats {
  MatchSpec spec;  // with the output's name
  int64_t sets = 0;
  int64_t reference = 0, candidate = 0, matched = 0;  // items
  double sum = 0;                                     // of matched likenesses
  double least = 1;                                   // of them
  int64_t failed_batches = 0;
  int64_t first_failed_batch = -1;
  std::string failure;
};

// One batch of both models: floating tensors [.., N, D] and [.., M, D], each
// of the leading indices a set of its own. Others are recorded as failed.
void update(MatchStats& stats, const Value& reference, const Value& candidate,
            const Place& place);
void merge(MatchStats& stats, const MatchStats& other);
MatchSummary finish(const MatchStats& stats);
void put(Packer& out, const MatchStats& stats);
void get(Unpacker& in, MatchStats& stats);

// Intersection over union of boxes [x1, y1, x2, y2]; 0 where both are empty.
double box_iou(const double* a, const double* b) noexcept;

// What each output is compared as: the spec that names it, or one without a
// name that suits what it declares. Empty: element by element. Throws
// Error(usage) for a spec that fits no output, with the nearest names.
std::vector<std::optional<MatchSpec>> match_specs(
    const std::vector<MatchSpec>& specs, const std::vector<Port>& outputs);

}  // namespace octavo
