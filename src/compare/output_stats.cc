#include "compare/output_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "compare/decoder.h"
#include "compare/element.h"
#include "compare/exact_counts.h"
#include "octavo/error.h"

namespace octavo {
namespace {

std::string type_and_shape(DType type, std::span<const int64_t> shape) {
  return fmt::format("{} {}", dtype_name(type), shape_text(shape));
}

// True where the pair may be compared; else the failure is recorded.
bool comparable(OutputStats& s, DType r_type, const Shape& r_shape,
                DType c_type, const Shape& c_shape, const Place& place) {
  if (r_type != c_type || r_shape != c_shape) {
    record_failure(s, place.batch,
                   fmt::format("{} is {} in the original and {} in the copy",
                               place.path, type_and_shape(r_type, r_shape),
                               type_and_shape(c_type, c_shape)));
    return false;
  }
  if (measure_of(r_type) == Measure::none) {
    record_failure(s, place.batch,
                   fmt::format("{} has the element type {}, which cannot be "
                               "compared",
                               place.path, dtype_name(r_type)));
    return false;
  }
  if (s.type != DType::undefined && s.type != r_type) {
    record_failure(
        s, place.batch,
        fmt::format("{} was {} in earlier batches and is {} here", place.path,
                    dtype_name(s.type), dtype_name(r_type)));
    return false;
  }
  return true;
}

bool is_complex(DType type) {
  return type == DType::complex64 || type == DType::complex128;
}

WorstElement locate(const Place& place, Shape shape, DType type,
                    int64_t index) {
  if (is_complex(type)) shape.push_back(2);
  WorstElement w;
  w.path = place.path;
  w.batch = place.batch;
  w.index = position_of(shape, index);
  if (place.count == 1)
    w.sample = place.first;
  else if (!shape.empty() && shape[0] == place.count)
    w.sample = place.first + w.index[0];
  return w;
}

WorstElement locate(const Place& place, const TensorView& r,
                    const TensorView& c, int64_t index) {
  WorstElement w = locate(place, r.shape, r.type, index);
  w.reference = element_at(r.type, r.bytes, index);
  w.candidate = element_at(c.type, c.bytes, index);
  return w;
}

// Narrow floats go through the double loop in pieces that stay in the cache.
void add_decoded(FloatSums& run, DType type, Bytes r, Bytes c, int64_t count) {
  constexpr int64_t kPiece = 2048;
  std::array<double, kPiece> a, b;
  Decoder reference(type, r), candidate(type, c);
  for (int64_t begin = 0; begin < count; begin += kPiece) {
    const int64_t n = std::min(kPiece, count - begin);
    reference.read(begin, n, a.data());
    candidate.read(begin, n, b.data());
    FloatSums piece;
    piece.max = run.max;
    add_floats<double>(piece, reinterpret_cast<const std::byte*>(a.data()),
                       reinterpret_cast<const std::byte*>(b.data()), n);
    merge(run, piece);
    if (piece.max_at >= 0) {
      run.max = piece.max;
      run.max_at = begin + piece.max_at;
    }
    if (piece.non_finite_at >= 0 && run.non_finite_at < 0)
      run.non_finite_at = begin + piece.non_finite_at;
  }
}

void update_numeric(OutputStats& s, const TensorView& r, const TensorView& c,
                    int64_t count, const Place& place) {
  FloatSums run;
  run.max = s.sums.max;
  switch (r.type) {
    case DType::float32:
      add_floats<float>(run, r.bytes.data(), c.bytes.data(), count);
      break;
    case DType::complex64:
      add_floats<float>(run, r.bytes.data(), c.bytes.data(), 2 * count);
      break;
    case DType::float64:
      add_floats<double>(run, r.bytes.data(), c.bytes.data(), count);
      break;
    case DType::complex128:
      add_floats<double>(run, r.bytes.data(), c.bytes.data(), 2 * count);
      break;
    default:
      add_decoded(run, r.type, r.bytes, c.bytes, count);
  }
  merge(s.sums, run);
  // A leading axis of the batch's length, or a batch of one: samples.
  const bool rows =
      place.count == 1 || (!r.shape.empty() && r.shape[0] == place.count);
  update(s.spread, r, c, place.first, rows ? place.count : 0);
  update(s.views, s.name, r, c);
  s.equal += run.equal + run.non_finite.matching;
  if (run.max_at >= 0) {
    s.sums.max = run.max;
    s.worst = locate(place, r, c, run.max_at);
  }
  if (run.non_finite_at >= 0 && !s.first_non_finite)
    s.first_non_finite = locate(place, r, c, run.non_finite_at);
}

void update_exact(OutputStats& s, const TensorView& r, const TensorView& c,
                  int64_t count, const Place& place) {
  ExactCounts run;
  run.max = s.max_step;
  add_exact(run, r.type, r.bytes, c.bytes, count);
  s.equal += run.equal;
  if (run.max_at >= 0) {
    s.max_step = run.max;
    s.worst = locate(place, r, c, run.max_at);
  }
}

void count_batch(OutputStats& s, DType type, const Shape& shape,
                 int64_t elements) {
  s.type = type;
  s.last_shape = shape;
  ++s.batches;
  s.elements += elements;
}

bool before(const WorstElement& a, const WorstElement& b) {
  return a.batch != b.batch ? a.batch < b.batch : a.index < b.index;
}

}  // namespace

void record_failure(OutputStats& s, int64_t batch,
                    const std::string& sentence) {
  if (s.failed_batches++ == 0 || batch < s.first_failed_batch) {
    s.first_failed_batch = batch;
    s.failure = sentence;
  }
}

void update(OutputStats& s, const TensorView& r, const TensorView& c,
            const Place& place) {
  if (!comparable(s, r.type, r.shape, c.type, c.shape, place)) return;
  const int64_t count = element_count(r.shape);
  const int64_t bytes = byte_size(r.type, r.shape);
  if (std::ssize(r.bytes) != bytes || std::ssize(c.bytes) != bytes)
    throw Error(ErrorKind::format,
                fmt::format("{} is {} and needs {} bytes, but the original "
                            "gave {} and the copy {}",
                            place.path, type_and_shape(r.type, r.shape), bytes,
                            r.bytes.size(), c.bytes.size()));
  const bool numeric = measure_of(r.type) == Measure::numeric;
  count_batch(s, r.type, r.shape, is_complex(r.type) ? 2 * count : count);
  if (numeric)
    update_numeric(s, r, c, count, place);
  else
    update_exact(s, r, c, count, place);
}

void update(OutputStats& s, const Tensor& r, const Tensor& c,
            const Place& place) {
  if (r.type != DType::string || c.type != DType::string)
    return update(s, r.view(), c.view(), place);
  if (!comparable(s, r.type, r.shape, c.type, c.shape, place)) return;
  const int64_t count = element_count(r.shape);
  if (std::ssize(r.strings) != count || std::ssize(c.strings) != count)
    throw Error(ErrorKind::format,
                fmt::format("{} is {}, but the original gave {} strings and "
                            "the copy {}",
                            place.path, type_and_shape(r.type, r.shape),
                            r.strings.size(), c.strings.size()));
  count_batch(s, r.type, r.shape, count);
  for (int64_t i = 0; i < count; ++i) {
    const auto& a = r.strings[static_cast<size_t>(i)];
    const auto& b = c.strings[static_cast<size_t>(i)];
    s.equal += a == b;
    if (a != b && !s.worst) {
      constexpr size_t kShown = 60;
      s.max_step = 1;
      s.worst = locate(place, r.shape, r.type, i);
      s.worst->reference = a.substr(0, kShown);
      s.worst->candidate = b.substr(0, kShown);
    }
  }
}

void merge(OutputStats& s, const OutputStats& other) {
  if (other.failed_batches > 0) {
    const int64_t failed = s.failed_batches + other.failed_batches;
    record_failure(s, other.first_failed_batch, other.failure);
    s.failed_batches = failed;
  }
  if (other.batches == 0) return;
  if (s.type != DType::undefined && other.type != DType::undefined &&
      s.type != other.type)
    throw Error(
        ErrorKind::usage,
        fmt::format("statistics of {} cannot be merged: one part saw "
                    "{}, the other {}",
                    s.name, dtype_name(s.type), dtype_name(other.type)));
  if (other.type != DType::undefined) s.type = other.type;
  s.last_shape = other.last_shape;
  s.batches += other.batches;
  s.elements += other.elements;
  s.equal += other.equal;
  if (other.worst) {
    const bool larger =
        other.sums.max > s.sums.max || other.max_step > s.max_step;
    const bool same =
        other.sums.max == s.sums.max && other.max_step == s.max_step;
    if (!s.worst || larger || (same && before(*other.worst, *s.worst)))
      s.worst = other.worst;
  }
  if (other.first_non_finite &&
      (!s.first_non_finite ||
       before(*other.first_non_finite, *s.first_non_finite)))
    s.first_non_finite = other.first_non_finite;
  merge(s.sums, other.sums);
  merge(s.spread, other.spread);
  merge(s.views, other.views);
  s.sums.max = std::max(s.sums.max, other.sums.max);
  s.max_step = std::max(s.max_step, other.max_step);
}

}  // namespace octavo
