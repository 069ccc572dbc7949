// What accumulates about one output (or one part of a sequence or map) while
// both models run: update per batch, merge over shards, finish at the end.
// Its size does not depend on how much was compared.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compare/float_sums.h"
#include "compare/spread.h"
#include "compare/views.h"
#include "octavo/compare.h"

namespace octavo {

// Where in the run a pair of tensors comes from.
struct Place {
  int64_t batch = 0;  // index of the batch
  int64_t first = 0;  // index of its first sample
  int64_t count = 1;  // samples in it
  std::string path;   // "logits", "output[3].values"
};

struct OutputStats {
  std::string name;
  DType type = DType::undefined;  // of the first compared batch
  Shape last_shape;
  int64_t batches = 0;
  int64_t elements = 0;
  int64_t equal = 0;

  FloatSums sums;         // Measure::numeric
  Spread spread;          // likewise
  ViewStats views;        // likewise
  uint64_t max_step = 0;  // Measure::integer and exact
  std::optional<WorstElement> worst;
  std::optional<WorstElement> first_non_finite;

  int64_t failed_batches = 0;
  int64_t first_failed_batch = -1;
  std::string failure;
};

// Adds a pair. A pair of unequal dtype or shape is recorded as failed and
// enters no sum. Throws Error(format) where bytes do not fit the shape.
void update(OutputStats& stats, const TensorView& reference,
            const TensorView& candidate, const Place& place);

// The same for tensors that may hold strings.
void update(OutputStats& stats, const Tensor& reference,
            const Tensor& candidate, const Place& place);

// Records that a batch could not be compared, in a sentence.
void record_failure(OutputStats& stats, int64_t batch,
                    const std::string& sentence);

// Adds what `other` saw; both are of one output. Merged in shard order this
// gives what one run gives, sums up to the rounding of their order.
void merge(OutputStats& stats, const OutputStats& other);

OutputSummary finish(const OutputStats& stats);

// All of it as bytes for a file or a message between processes, and back.
// from_bytes throws Error(format) for bytes that are none of these.
std::vector<std::byte> to_bytes(const OutputStats& stats);
OutputStats output_stats_from_bytes(Bytes bytes);

}  // namespace octavo
