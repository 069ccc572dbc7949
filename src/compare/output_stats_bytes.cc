// OutputStats as bytes. One function lists the fields, for both ways, so
// that writing and reading cannot part.
#include <algorithm>

#include "compare/output_stats.h"
#include "compare/pack.h"

namespace octavo {
namespace {

constexpr uint32_t kTag = 0x3353434f;  // "OCS3"

// `io` is called with every field in order; Stats is const for writing.
template <typename Io, typename Stats>
void fields(Io io, Stats& s) {
  io(s.name), io(s.type), io(s.last_shape);
  io(s.batches), io(s.elements), io(s.equal);
  auto& f = s.sums;
  io(f.finite), io(f.equal), io(f.difference), io(f.squares), io(f.dot);
  io(f.reference), io(f.candidate), io(f.max);
  auto& n = f.non_finite;
  io(n.reference_nan), io(n.reference_inf), io(n.candidate_nan);
  io(n.candidate_inf), io(n.matching), io(n.mismatching);
  io(n.nan_became_finite);
  io(s.max_step);
  io(s.failed_batches), io(s.first_failed_batch), io(s.failure);
}

template <typename Io, typename Worst>
void worst_fields(Io io, Worst& w) {
  io(w.path), io(w.batch), io(w.sample), io(w.index);
  io(w.reference), io(w.candidate);
}

// Only buckets that are not empty.
void put(Packer& out, const Spread& s) {
  out.put(s.sketch.zeros);
  const auto& buckets = s.sketch.buckets;
  out.put(static_cast<uint64_t>(std::count_if(
      buckets.begin(), buckets.end(), [](int64_t n) { return n != 0; })));
  for (size_t b = 0; b < buckets.size(); ++b)
    if (buckets[b] != 0) out.put(static_cast<uint32_t>(b)), out.put(buckets[b]);
  out.put(s.pairs), out.put(s.max_relative), out.put(s.sum_relative);
  out.put(s.mean_r), out.put(s.mean_c);
  out.put(s.m_rr), out.put(s.m_cc), out.put(s.m_rc);
  out.put(static_cast<uint64_t>(s.worst.size()));
  for (const SampleDifference& d : s.worst) {
    out.put(d.sample), out.put(d.max_abs), out.put(d.rmse);
    for (const auto& v : {d.relative_l2, d.cosine}) {
      out.put(static_cast<uint8_t>(v.has_value()));
      out.put(v.value_or(0));
    }
  }
}

void get(Unpacker& in, Spread& s) {
  in.get(s.sketch.zeros);
  const auto filled = in.get<uint64_t>();
  if (filled > DifferenceSketch::kBuckets) Unpacker::broken();
  if (filled > 0) s.sketch.buckets.resize(DifferenceSketch::kBuckets);
  for (uint64_t i = 0; i < filled; ++i) {
    const auto b = in.get<uint32_t>();
    if (b >= DifferenceSketch::kBuckets) Unpacker::broken();
    in.get(s.sketch.buckets[b]);
  }
  in.get(s.pairs), in.get(s.max_relative), in.get(s.sum_relative);
  in.get(s.mean_r), in.get(s.mean_c);
  in.get(s.m_rr), in.get(s.m_cc), in.get(s.m_rc);
  const auto worst = in.get<uint64_t>();
  if (worst > kWorstKept) Unpacker::broken();
  s.worst.resize(worst);
  for (SampleDifference& d : s.worst) {
    in.get(d.sample), in.get(d.max_abs), in.get(d.rmse);
    for (auto* v : {&d.relative_l2, &d.cosine}) {
      const bool there = in.get<bool>();
      const auto value = in.get<double>();
      if (there) *v = value;
    }
  }
}

void put(Packer& out, const std::optional<WorstElement>& w) {
  out.put(static_cast<uint8_t>(w.has_value()));
  if (w) worst_fields([&](const auto& v) { out.put(v); }, *w);
}

void get(Unpacker& in, std::optional<WorstElement>& w) {
  if (in.get<bool>()) worst_fields([&](auto& v) { in.get(v); }, w.emplace());
}

}  // namespace

std::vector<std::byte> to_bytes(const OutputStats& s) {
  Packer out;
  out.put(kTag);
  fields([&](const auto& v) { out.put(v); }, s);
  put(out, s.spread);
  put(out, s.views);
  put(out, s.worst);
  put(out, s.first_non_finite);
  return out.take();
}

OutputStats output_stats_from_bytes(Bytes bytes) {
  Unpacker in(bytes);
  if (in.get<uint32_t>() != kTag) Unpacker::broken();
  OutputStats s;
  fields([&](auto& v) { in.get(v); }, s);
  get(in, s.spread);
  get(in, s.views);
  get(in, s.worst);
  get(in, s.first_non_finite);
  if (!in.done()) Unpacker::broken();
  return s;
}

}  // namespace octavo
