#include "compare/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/names.h"
#include "compare/decoder.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr int64_t kMostPairs = 16'000'000;  // of one set: all are held at once

// Sets of items of D numbers.
struct Sets {
  int64_t sets = 1, items = 0, width = 0;
  std::vector<double> values;

  const double* item(int64_t set, int64_t i) const {
    return values.data() + (set * items + i) * width;
  }
};

std::optional<Sets> sets_of(const Value& value) {
  const Tensor& t = value.tensor;
  if (value.kind != ValueKind::tensor || !is_float(t.type) ||
      t.shape.size() < 2)
    return std::nullopt;
  Sets s;
  s.width = t.shape.back();
  s.items = t.shape[t.shape.size() - 2];
  for (size_t i = 0; i + 2 < t.shape.size(); ++i) s.sets *= t.shape[i];
  s.values.resize(static_cast<size_t>(element_count(t.shape)));
  Decoder(t.type, t.bytes)
      .read(0, static_cast<int64_t>(s.values.size()), s.values.data());
  return s;
}

double cosine(const double* a, const double* b, int64_t width) {
  double dot = 0, aa = 0, bb = 0;
  for (int64_t i = 0; i < width; ++i) {
    dot += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return aa > 0 && bb > 0 ? dot / std::sqrt(aa) / std::sqrt(bb) : 0;
}

void match_set(MatchStats& stats, const Sets& r, const Sets& c, int64_t set) {
  struct Pair {
    double likeness;
    int64_t a, b;
  };
  std::vector<Pair> pairs;
  for (int64_t a = 0; a < r.items; ++a)
    for (int64_t b = 0; b < c.items; ++b) {
      const double* x = r.item(set, a);
      const double* y = c.item(set, b);
      const double likeness = stats.spec.kind == MatchKind::iou
                                  ? box_iou(x, y)
                                  : cosine(x, y, r.width);
      // NaN is like nothing.
      if (likeness >= stats.spec.least) pairs.push_back({likeness, a, b});
    }
  std::stable_sort(
      pairs.begin(), pairs.end(),
      [](const Pair& x, const Pair& y) { return x.likeness > y.likeness; });
  std::vector<bool> a_taken(static_cast<size_t>(r.items)),
      b_taken(static_cast<size_t>(c.items));
  for (const Pair& p : pairs) {
    const auto a = static_cast<size_t>(p.a), b = static_cast<size_t>(p.b);
    if (a_taken[a] || b_taken[b]) continue;
    a_taken[a] = b_taken[b] = true;
    ++stats.matched;
    stats.sum += p.likeness;
    stats.least = std::min(stats.least, p.likeness);
  }
  ++stats.sets;
  stats.reference += r.items;
  stats.candidate += c.items;
}

void fail(MatchStats& stats, int64_t batch, const std::string& why) {
  if (stats.failed_batches++ > 0 && batch > stats.first_failed_batch) return;
  stats.first_failed_batch = batch;
  stats.failure = why;
}

const char* kind_name(MatchKind kind) {
  return kind == MatchKind::iou ? "iou" : "cosine";
}

// What it declares may be a set of such items.
bool suits(MatchKind kind, const Port& p) {
  if (p.kind != ValueKind::tensor || !is_float(p.type) || p.dims.size() < 2)
    return false;
  return kind == MatchKind::iou ? p.dims.back().value == 4
                                : p.dims[p.dims.size() - 2].value < 0;
}

template <typename Io, typename Stats>
void fields(Io io, Stats& s) {
  io(s.spec.output), io(s.spec.kind), io(s.spec.least);
  io(s.sets), io(s.reference), io(s.candidate), io(s.matched);
  io(s.sum), io(s.least);
  io(s.failed_batches), io(s.first_failed_batch), io(s.failure);
}

}  // namespace

double box_iou(const double* a, const double* b) noexcept {
  const double width = std::min(a[2], b[2]) - std::max(a[0], b[0]);
  const double height = std::min(a[3], b[3]) - std::max(a[1], b[1]);
  const double both = std::max(width, 0.0) * std::max(height, 0.0);
  const auto area = [](const double* x) {
    return std::max(x[2] - x[0], 0.0) * std::max(x[3] - x[1], 0.0);
  };
  const double either = area(a) + area(b) - both;
  return either > 0 ? both / either : 0;
}

void update(MatchStats& stats, const Value& reference, const Value& candidate,
            const Place& place) {
  const auto r = sets_of(reference), c = sets_of(candidate);
  if (!r || !c)
    return fail(
        stats, place.batch,
        fmt::format("{} is {} in the original and {} in the copy; "
                    "floating tensors of items were expected",
                    place.path, value_text(reference), value_text(candidate)));
  const bool boxes = stats.spec.kind == MatchKind::iou;
  if (r->sets != c->sets || r->width != c->width || (boxes && r->width != 4))
    return fail(
        stats, place.batch,
        fmt::format("{} is {} in the original and {} in the copy, "
                    "which are no sets of {}",
                    place.path, value_text(reference), value_text(candidate),
                    boxes ? "boxes of 4 numbers" : "equal vectors"));
  if (r->items > 0 && c->items > kMostPairs / r->items)
    return fail(stats, place.batch,
                fmt::format("{} has sets of {} and {} items, too many to be "
                            "held against each other",
                            place.path, r->items, c->items));
  for (int64_t set = 0; set < r->sets; ++set) match_set(stats, *r, *c, set);
}

void merge(MatchStats& stats, const MatchStats& other) {
  stats.sets += other.sets;
  stats.reference += other.reference;
  stats.candidate += other.candidate;
  stats.matched += other.matched;
  stats.sum += other.sum;
  stats.least = std::min(stats.least, other.least);
  if (other.failed_batches == 0) return;
  const int64_t failed = stats.failed_batches + other.failed_batches;
  fail(stats, other.first_failed_batch, other.failure);
  stats.failed_batches = failed;
}

MatchSummary finish(const MatchStats& s) {
  MatchSummary m;
  m.spec = s.spec;
  m.sets = s.sets;
  m.reference = s.reference;
  m.candidate = s.candidate;
  m.matched = s.matched;
  const auto share = [&](int64_t all) -> std::optional<double> {
    if (all == 0) return std::nullopt;
    return static_cast<double>(s.matched) / static_cast<double>(all);
  };
  m.recall = share(s.reference);
  m.precision = share(s.candidate);
  if (s.matched > 0) {
    m.mean = s.sum / static_cast<double>(s.matched);
    m.worst = s.least;
  }
  m.failed_batches = s.failed_batches;
  m.first_failed_batch = s.first_failed_batch;
  m.failure = s.failure;
  return m;
}

void put(Packer& out, const MatchStats& stats) {
  fields([&](const auto& v) { out.put(v); }, stats);
}

void get(Unpacker& in, MatchStats& stats) {
  fields([&](auto& v) { in.get(v); }, stats);
}

std::vector<std::optional<MatchSpec>> match_specs(
    const std::vector<MatchSpec>& specs, const std::vector<Port>& outputs) {
  std::vector<std::optional<MatchSpec>> out(outputs.size());
  std::vector<std::string> names;
  for (const Port& p : outputs) names.push_back(p.name);
  for (const MatchSpec& spec : specs) {
    bool found = false;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (spec.output.empty() ? !suits(spec.kind, outputs[i])
                              : outputs[i].name != spec.output)
        continue;
      found = true;
      out[i] = spec;
      out[i]->output = outputs[i].name;
    }
    if (found) continue;
    const std::string hint = did_you_mean(spec.output, names);
    throw Error(
        ErrorKind::usage,
        spec.output.empty()
            ? fmt::format("--match {}: no output declares such items ({}); "
                          "name one: --match NAME={}",
                          kind_name(spec.kind),
                          spec.kind == MatchKind::iou
                              ? "a last axis of 4"
                              : "a number of vectors that may change",
                          kind_name(spec.kind))
            : fmt::format("--match names '{}', which is no output; {}it has {}",
                          spec.output, hint.empty() ? "" : hint + " ",
                          name_list(names)));
  }
  return out;
}

}  // namespace octavo
