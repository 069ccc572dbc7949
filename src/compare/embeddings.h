// Embeddings whose nearest neighbour should be of the same class: recall at 1
// by cosine. Keeps both models' embeddings in float32, the one metric here
// that keeps outputs: 8 bytes a sample and dimension.
#pragma once

#include <string>
#include <vector>

#include "compare/labels.h"
#include "compare/metrics.h"
#include "compare/output_stats.h"
#include "octavo/value.h"

namespace octavo {

struct EmbeddingRecord {
  int64_t sample = 0;
  std::string label;
  std::vector<float> unit[2];  // of length 1; all NaN where it has no direction

  // Every field, for both ways between records and bytes.
  template <typename Io, typename R>
  static void fields(Io io, R& r) {
    io(r.sample), io(r.label), io(r.unit[0]), io(r.unit[1]);
  }
};

struct Embeddings {
  std::vector<EmbeddingRecord> records;
};

// One batch of both models, of equal form: one vector a sample. Throws
// Error(usage) for others.
void update(Embeddings& stats, const Value& reference, const Value& candidate,
            const Labels& labels, const Place& place);
void merge(Embeddings& stats, const Embeddings& other);
// The share of samples whose nearest other sample (ties: the lowest index) has
// their label; samples without a second one of their label are left out. Takes
// samples^2 x dimensions multiplications.
ReadyMetric retrieval_metric(const Embeddings& stats);
std::vector<std::byte> to_bytes(const Embeddings& stats);
Embeddings embeddings_from_bytes(Bytes bytes);

}  // namespace octavo
