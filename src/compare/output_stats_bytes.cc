// OutputStats as bytes. One function lists the fields, for both ways, so
// that writing and reading cannot part.
#include "compare/output_stats.h"
#include "compare/pack.h"

namespace octavo {
namespace {

constexpr uint32_t kTag = 0x3153434f;  // "OCS1"

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
  put(out, s.worst);
  put(out, s.first_non_finite);
  return out.take();
}

OutputStats output_stats_from_bytes(Bytes bytes) {
  Unpacker in(bytes);
  if (in.get<uint32_t>() != kTag) Unpacker::broken();
  OutputStats s;
  fields([&](auto& v) { in.get(v); }, s);
  get(in, s.worst);
  get(in, s.first_non_finite);
  if (!in.done()) Unpacker::broken();
  return s;
}

}  // namespace octavo
