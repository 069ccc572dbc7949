#include "compare/token_losses.h"

#include <fmt/format.h>

#include <cmath>

#include "compare/records.h"
#include "compare/score_rows.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr uint32_t kTag = 0x3154434f;  // "OCT1"

// Size of the vocabulary: the last axis, where the others match the labels.
int64_t vocabulary(const std::optional<ScoreRows>& rows, const Value& value,
                   const Labels& labels, const Place& place) {
  const int64_t size = rows && rows->shape.size() >= 2 ? rows->shape.back() : 0;
  if (size < 2 || rows->shape[0] != place.count ||
      rows->width != labels.width() * size)
    throw Error(ErrorKind::usage,
                fmt::format("perplexity needs a row of scores for each label, "
                            "such as [N,T,V] for labels [N,T], but {} is {} "
                            "for {} sample(s) of {} label(s); name another "
                            "output with --label-output",
                            place.path, value_text(value), place.count,
                            labels.width()));
  return size;
}

struct Loss {
  double logits = 0;
  double probability = 0;
  bool is_probability = false;
};

Loss loss_of(std::span<const double> row, int64_t label) {
  double top = row[0], least = row[0], sum = 0, exponentials = 0;
  for (const double v : row) {
    top = std::max(top, v);
    least = std::min(least, v);
    sum += v;
  }
  for (const double v : row) exponentials += std::exp(v - top);
  const double own = row[static_cast<size_t>(label)];
  return {top + std::log(exponentials) - own, -std::log(own),
          least >= 0 && std::abs(sum - 1) < 1e-3};
}

}  // namespace

void update(TokenLosses& stats, const Value& r, const Value& c,
            const Labels& labels, const Place& place) {
  if (labels.text() || !labels.whole())
    throw Error(ErrorKind::usage,
                fmt::format("perplexity needs whole numbers as labels, the "
                            "tokens, but the label of sample {} is '{}'",
                            place.first, labels.name(place.first)));
  const auto r_rows = score_rows(r, place), c_rows = score_rows(c, place);
  const int64_t size = vocabulary(r_rows, r, labels, place);
  vocabulary(c_rows, c, labels, place);
  for (int64_t i = 0; i < place.count; ++i) {
    TokenLossRecord record;
    record.sample = place.first + i;
    for (int64_t t = 0; t < labels.width(); ++t) {
      const int64_t label = labels.integer(record.sample, t);
      if (label < 0) continue;
      if (label >= size)
        throw Error(ErrorKind::usage,
                    fmt::format("label {} of sample {} is {}, but {} scores "
                                "the tokens 0 to {}",
                                t, record.sample, label, place.path, size - 1));
      ++record.tokens;
      for (int model = 0; model < 2; ++model) {
        const auto row = (model == 0 ? r_rows : c_rows)
                             ->row(i)
                             .subspan(static_cast<size_t>(t * size),
                                      static_cast<size_t>(size));
        const Loss loss = loss_of(row, label);
        record.logits[model] += loss.logits;
        record.probabilities[model] += loss.probability;
        stats.probabilities &= loss.is_probability;
      }
    }
    stats.records.push_back(record);
  }
}

void merge(TokenLosses& stats, const TokenLosses& other) {
  stats.probabilities &= other.probabilities;
  append_records(stats.records, other.records);
}

ReadyMetric perplexity_metric(const TokenLosses& stats) {
  const auto records = sorted_records(stats.records);
  const bool probabilities = stats.probabilities;
  ReadyMetric ready{{Metric::perplexity}, records->size()};
  ready.note = probabilities ? "scores taken as probabilities"
                             : "scores taken as logits";
  ready.value = [records, probabilities](int model, Weights weights) {
    double loss = 0, tokens = 0;
    for (size_t i = 0; i < records->size(); ++i) {
      const TokenLossRecord& r = (*records)[i];
      loss += weights[i] *
              (probabilities ? r.probabilities[model] : r.logits[model]);
      tokens += weights[i] * static_cast<double>(r.tokens);
    }
    return std::exp(loss / tokens);
  };
  return ready;
}

std::vector<std::byte> to_bytes(const TokenLosses& stats) {
  Packer out;
  out.put(kTag);
  out.put(stats.probabilities);
  put_records(out, stats.records);
  return out.take();
}

TokenLosses token_losses_from_bytes(Bytes bytes) {
  Unpacker in(bytes);
  if (in.get<uint32_t>() != kTag) Unpacker::broken();
  TokenLosses stats;
  in.get(stats.probabilities);
  get_records(in, stats.records);
  if (!in.done()) Unpacker::broken();
  return stats;
}

}  // namespace octavo
