// Looks at a floating output that a caller may ask for: what is outside a
// tolerance, which channels differ most, whether scores agree. Updated beside
// OutputStats; its size depends on the channels alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compare/pack.h"
#include "octavo/compare.h"

namespace octavo {

// Channels beyond these share the last one's sums.
inline constexpr size_t kMostChannels = 65536;

struct ViewStats {
  OutputViews views;

  int64_t outside = 0;

  struct Channel {
    int64_t pairs = 0;
    double max = 0, squares = 0, reference = 0;
  };
  std::vector<Channel> channels;

  // Of rows of scores, as logits and as probabilities; the latter only while
  // all rows of both sides are.
  struct Agreement {
    double kl = 0;  // sum
    int64_t infinite = 0;
    int64_t rows = 0, top1 = 0, top5 = 0;
  };
  Agreement logits, probabilities;
  bool all_probabilities = true;
  bool six = false;  // a row had six or more
};

// Adds a pair of one shape, whose bytes fit it. `name` is the output's.
void update(ViewStats& stats, const std::string& name,
            const TensorView& reference, const TensorView& candidate);
void merge(ViewStats& stats, const ViewStats& other);
// Fills in what was asked for. `finite` pairs and NaN that do not match are
// the output's.
void finish(const ViewStats& stats, OutputSummary& summary);

void put(Packer& out, const ViewStats& stats);
void get(Unpacker& in, ViewStats& stats);

}  // namespace octavo
