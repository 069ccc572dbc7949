// How surprised each model is by the right tokens: perplexity. Keeps six
// numbers a sample, whatever the vocabulary.
#pragma once

#include <vector>

#include "compare/labels.h"
#include "compare/metrics.h"
#include "compare/output_stats.h"
#include "octavo/value.h"

namespace octavo {

struct TokenLossRecord {
  int64_t sample = 0;
  int64_t tokens = 0;  // with a label; negative labels are left out
  // Sums of -log p(label), of reference and candidate: of the softmax of the
  // scores, and of the scores as probabilities.
  double logits[2] = {};
  double probabilities[2] = {};

  // Every field, for both ways between records and bytes.
  template <typename Io, typename R>
  static void fields(Io io, R& r) {
    io(r.sample), io(r.tokens), io(r.logits[0]), io(r.logits[1]);
    io(r.probabilities[0]), io(r.probabilities[1]);
  }
};

struct TokenLosses {
  bool probabilities = true;  // every row so far was one of probabilities
  std::vector<TokenLossRecord> records;
};

// One batch of both models, of equal form: scores [N,...,V] for labels
// [N,...], aligned: row t judges label t. A negative label (padding) is left
// out. Throws Error(usage) for others.
void update(TokenLosses& stats, const Value& reference, const Value& candidate,
            const Labels& labels, const Place& place);
void merge(TokenLosses& stats, const TokenLosses& other);
// exp(sum of losses / tokens).
ReadyMetric perplexity_metric(const TokenLosses& stats);
std::vector<std::byte> to_bytes(const TokenLosses& stats);
TokenLosses token_losses_from_bytes(Bytes bytes);

}  // namespace octavo
