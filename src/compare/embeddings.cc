#include "compare/embeddings.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/parallel.h"
#include "compare/records.h"
#include "compare/score_rows.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr uint32_t kTag = 0x3145434f;  // "OCE1"

void check(const std::optional<ScoreRows>& rows, const Value& value,
           size_t width, const Place& place) {
  if (rows && rows->width >= 2 && rows->shape.size() >= 2 &&
      (width == 0 || static_cast<size_t>(rows->width) == width))
    return;
  throw Error(ErrorKind::usage,
              fmt::format("cosine-retrieval needs one vector for each sample, "
                          "[N,D], always of one D, but {} is {} for {} "
                          "sample(s); name another output with --label-output",
                          place.path, value_text(value), place.count));
}

std::vector<float> unit(std::span<const double> row) {
  double squares = 0;
  for (const double v : row) squares += v * v;
  const double length = std::sqrt(squares);
  std::vector<float> out;
  for (const double v : row)
    out.push_back(length > 0 && std::isfinite(length)
                      ? static_cast<float>(v / length)
                      : std::nanf(""));
  return out;
}

// The nearest other record; -1: none has a direction.
int64_t nearest_to(const std::vector<EmbeddingRecord>& records, size_t query,
                   int model) {
  const std::vector<float>& q = records[query].unit[model];
  int64_t best = -1;
  float best_dot = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    if (i == query) continue;
    const std::vector<float>& v = records[i].unit[model];
    float dot = 0;
    for (size_t k = 0; k < q.size(); ++k) dot += q[k] * v[k];
    if (std::isnan(dot) || (best >= 0 && dot <= best_dot)) continue;
    best = static_cast<int64_t>(i);
    best_dot = dot;
  }
  return best;
}

using Hits = std::vector<char>;

}  // namespace

void update(Embeddings& stats, const Value& r, const Value& c,
            const Labels& labels, const Place& place) {
  const size_t width =
      stats.records.empty() ? 0 : stats.records[0].unit[0].size();
  const auto r_rows = score_rows(r, place), c_rows = score_rows(c, place);
  check(r_rows, r, width, place);
  check(c_rows, c, width, place);
  for (int64_t i = 0; i < place.count; ++i)
    stats.records.push_back({place.first + i,
                             labels.name(place.first + i),
                             {unit(r_rows->row(i)), unit(c_rows->row(i))}});
}

void merge(Embeddings& stats, const Embeddings& other) {
  append_records(stats.records, other.records);
}

ReadyMetric retrieval_metric(const Embeddings& stats) {
  const auto records = sorted_records(stats.records);
  std::map<std::string, int64_t> of_label;
  for (const EmbeddingRecord& r : *records) ++of_label[r.label];
  std::vector<size_t> queries;
  for (size_t i = 0; i < records->size(); ++i)
    if (of_label[(*records)[i].label] > 1) queries.push_back(i);

  const auto hits =
      std::make_shared<std::vector<Hits>>(2, Hits(queries.size()));
  parallel_pieces(queries.size(), 0, [&](size_t q) {
    for (int model = 0; model < 2; ++model) {
      const int64_t found = nearest_to(*records, queries[q], model);
      (*hits)[static_cast<size_t>(model)][q] =
          found >= 0 && (*records)[static_cast<size_t>(found)].label ==
                            (*records)[queries[q]].label;
    }
  });
  ReadyMetric ready{{Metric::cosine_retrieval}, queries.size()};
  ready.discordant.emplace();
  for (size_t q = 0; q < queries.size(); ++q) {
    ready.discordant->lost += (*hits)[0][q] && !(*hits)[1][q];
    ready.discordant->gained += !(*hits)[0][q] && (*hits)[1][q];
  }
  if (queries.size() < records->size())
    ready.note = fmt::format("{} sample(s) left out: no other has their label",
                             records->size() - queries.size());
  ready.value = [hits](int model, Weights weights) {
    const Hits& own = (*hits)[static_cast<size_t>(model)];
    double right = 0, all = 0;
    for (size_t q = 0; q < own.size(); ++q) {
      all += weights[q];
      if (own[q]) right += weights[q];
    }
    return right / all;
  };
  return ready;
}

std::vector<std::byte> to_bytes(const Embeddings& stats) {
  Packer out;
  out.put(kTag);
  put_records(out, stats.records);
  return out.take();
}

Embeddings embeddings_from_bytes(Bytes bytes) {
  Unpacker in(bytes);
  if (in.get<uint32_t>() != kTag) Unpacker::broken();
  Embeddings stats;
  get_records(in, stats.records);
  for (const EmbeddingRecord& r : stats.records)
    if (r.unit[0].size() != stats.records[0].unit[0].size() ||
        r.unit[1].size() != r.unit[0].size())
      Unpacker::broken();
  if (!in.done()) Unpacker::broken();
  return stats;
}

}  // namespace octavo
