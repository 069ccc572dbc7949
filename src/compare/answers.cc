#include "compare/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compare/element.h"
#include "compare/pack.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr size_t kFlipsListed = 10;
constexpr uint32_t kTag = 0x3141434f;  // "OCA1"

// Classes of a tensor that holds one row of scores for each sample.
int64_t classes_of(const Shape& shape, DType type, const Place& place) {
  const int64_t elements = element_count(shape);
  int64_t wide_axes = 0;
  for (size_t axis = 1; axis < shape.size(); ++axis)
    wide_axes += shape[axis] != 1;
  const bool rows = is_float(type) && shape.size() >= 2 &&
                    shape[0] == place.count && wide_axes == 1 && elements > 0;
  if (!rows)
    throw Error(
        ErrorKind::usage,
        fmt::format("labels need one row of scores for each sample, a floating "
                    "output such as [N,C], but {} is {} {} for {} sample(s); "
                    "name another output with --label-output",
                    place.path, dtype_name(type), shape_text(shape),
                    place.count));
  return elements / place.count;
}

void read_row(std::vector<double>& row, const TensorView& t, int64_t begin) {
  for (size_t i = 0; i < row.size(); ++i)
    row[i] = std::get<double>(
        element_at(t.type, t.bytes, begin + static_cast<int64_t>(i)));
}

void add(AnswerSummary& s, const Top& r, const Top& c, int64_t label,
         int64_t sample) {
  ++s.samples;
  s.reference_correct += r.answer == label;
  s.candidate_correct += c.answer == label;
  s.reference_ties += r.tie;
  s.candidate_ties += c.tie;
  if (r.answer == c.answer) return;
  ++s.flipped;
  s.flipped_to_wrong += r.answer == label;
  s.flipped_to_right += c.answer == label;
  if (s.first_flips.size() < kFlipsListed)
    s.first_flips.push_back({sample, label, r.answer, c.answer, r.gap});
}

template <typename Io, typename Counts>
void fields(Io io, Counts& c) {
  io(c.output), io(c.samples), io(c.reference_correct);
  io(c.candidate_correct), io(c.flipped), io(c.flipped_to_wrong);
  io(c.flipped_to_right), io(c.reference_ties), io(c.candidate_ties);
  io(c.uncounted);
}

template <typename Io, typename F>
void flip_fields(Io io, F& f) {
  io(f.sample), io(f.label), io(f.reference_answer), io(f.candidate_answer);
  io(f.reference_gap);
}

}  // namespace

Top top_of(std::span<const double> scores) noexcept {
  Top top;
  double best = 0;
  double second = -std::numeric_limits<double>::infinity();
  int64_t numbers = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    const double v = scores[i];
    if (std::isnan(v)) continue;
    if (numbers++ == 0 || v > best) {
      if (numbers > 1) second = best;
      best = v;
      top.answer = static_cast<int64_t>(i);
      top.tie = false;
    } else {
      top.tie |= v == best;
      second = std::max(second, v);
    }
  }
  if (numbers > 0) top.gap = top.tie ? 0 : best - second;
  return top;
}

void update(AnswerStats& stats, const TensorView& r, const TensorView& c,
            std::span<const int64_t> labels, const Place& place) {
  const int64_t classes = classes_of(r.shape, r.type, place);
  std::vector<double> row(static_cast<size_t>(classes));
  for (int64_t i = 0; i < place.count; ++i) {
    const int64_t label = labels[static_cast<size_t>(i)];
    const int64_t sample = place.first + i;
    if (label < 0 || label >= classes)
      throw Error(ErrorKind::usage,
                  fmt::format("the label of sample {} is {}, but {} has the "
                              "classes 0 to {}; check --labels and "
                              "--label-output",
                              sample, label, place.path, classes - 1));
    read_row(row, r, i * classes);
    const Top reference = top_of(row);
    read_row(row, c, i * classes);
    add(stats.counts, reference, top_of(row), label, sample);
  }
}

void merge(AnswerStats& stats, const AnswerStats& other) {
  AnswerSummary& s = stats.counts;
  const AnswerSummary& o = other.counts;
  s.samples += o.samples;
  s.reference_correct += o.reference_correct;
  s.candidate_correct += o.candidate_correct;
  s.flipped += o.flipped;
  s.flipped_to_wrong += o.flipped_to_wrong;
  s.flipped_to_right += o.flipped_to_right;
  s.reference_ties += o.reference_ties;
  s.candidate_ties += o.candidate_ties;
  s.uncounted += o.uncounted;
  auto& flips = s.first_flips;
  flips.insert(flips.end(), o.first_flips.begin(), o.first_flips.end());
  std::stable_sort(
      flips.begin(), flips.end(),
      [](const Flip& a, const Flip& b) { return a.sample < b.sample; });
  if (flips.size() > kFlipsListed) flips.resize(kFlipsListed);
}

AnswerSummary finish(const AnswerStats& stats) { return stats.counts; }

std::vector<std::byte> to_bytes(const AnswerStats& stats) {
  Packer out;
  const auto put = [&](const auto& v) { out.put(v); };
  out.put(kTag);
  fields(put, stats.counts);
  out.put(static_cast<uint64_t>(stats.counts.first_flips.size()));
  for (const Flip& f : stats.counts.first_flips) flip_fields(put, f);
  return out.take();
}

AnswerStats answer_stats_from_bytes(Bytes bytes) {
  Unpacker in(bytes);
  const auto get = [&](auto& v) { in.get(v); };
  if (in.get<uint32_t>() != kTag) Unpacker::broken();
  AnswerStats stats;
  fields(get, stats.counts);
  const auto flips = in.get<uint64_t>();
  if (flips > kFlipsListed) Unpacker::broken();
  stats.counts.first_flips.resize(flips);
  for (Flip& f : stats.counts.first_flips) flip_fields(get, f);
  if (!in.done()) Unpacker::broken();
  return stats;
}

}  // namespace octavo
