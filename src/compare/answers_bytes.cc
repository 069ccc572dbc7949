// AnswerStats as bytes, and back.
#include "compare/answers.h"
#include "compare/records.h"

namespace octavo {
namespace {

constexpr uint32_t kTag = 0x3241434f;  // "OCA2"
constexpr uint64_t kMostFlips = 10;

template <typename Io, typename Stats>
void fields(Io io, Stats& stats) {
  auto& c = stats.counts;
  io(stats.scored);
  io(c.output), io(c.samples), io(c.reference_correct);
  io(c.candidate_correct), io(c.flipped), io(c.flipped_to_wrong);
  io(c.flipped_to_right), io(c.reference_ties), io(c.candidate_ties);
  io(c.reference_tied_wrong), io(c.candidate_tied_wrong);
  io(c.flipped_by_tie), io(c.uncounted);
}

template <typename Io, typename F>
void flip_fields(Io io, F& f) {
  io(f.sample), io(f.label), io(f.reference_answer), io(f.candidate_answer);
}

void put(Packer& out, const std::optional<double>& v) {
  out.put(v.has_value());
  if (v) out.put(*v);
}

void get(Unpacker& in, std::optional<double>& v) {
  if (in.get<bool>()) v = in.get<double>();
}

}  // namespace

std::vector<std::byte> to_bytes(const AnswerStats& stats) {
  Packer out;
  const auto put_one = [&](const auto& v) { out.put(v); };
  out.put(kTag);
  fields(put_one, stats);
  out.put(static_cast<uint64_t>(stats.counts.names.size()));
  for (const std::string& name : stats.counts.names) out.put(name);
  put_records(out, stats.records);
  out.put(static_cast<uint64_t>(stats.counts.first_flips.size()));
  for (const Flip& f : stats.counts.first_flips) {
    flip_fields(put_one, f);
    put(out, f.reference_gap), put(out, f.candidate_gap);
  }
  return out.take();
}

AnswerStats answer_stats_from_bytes(Bytes bytes) {
  Unpacker in(bytes);
  const auto get_one = [&](auto& v) { in.get(v); };
  if (in.get<uint32_t>() != kTag) Unpacker::broken();
  AnswerStats stats;
  fields(get_one, stats);
  stats.counts.names.resize(in.count(sizeof(uint64_t)));
  for (std::string& name : stats.counts.names) in.get(name);
  get_records(in, stats.records);
  const uint64_t flips = in.count(1);
  if (flips > kMostFlips) Unpacker::broken();
  stats.counts.first_flips.resize(flips);
  for (Flip& f : stats.counts.first_flips) {
    flip_fields(get_one, f);
    get(in, f.reference_gap), get(in, f.candidate_gap);
  }
  if (!in.done()) Unpacker::broken();
  return stats;
}

}  // namespace octavo
