#include "compare/float_sums.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace octavo {
namespace {

constexpr int64_t kBlock = 1024;
constexpr int kLanes = 4;

template <typename T>
double load(const std::byte* p, int64_t i) noexcept {
  T v;
  std::memcpy(&v, p + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return static_cast<double>(v);
}

struct Lanes {
  double v[kLanes] = {};
  double sum() const noexcept { return (v[0] + v[1]) + (v[2] + v[3]); }
  double max() const noexcept {
    return std::max(std::max(v[0], v[1]), std::max(v[2], v[3]));
  }
};

struct BlockSums {
  double difference, squares, dot, reference, candidate, equal, max;
  // In a block of finite float32 no square sum can overflow a double, so a
  // sum that is not finite means that a value is not (or, for float64, is
  // huge): then the block is taken pair by pair.
  bool finite() const noexcept {
    return std::isfinite(reference) && std::isfinite(candidate);
  }
};

// Sums of whole groups of four; the caller takes the tail.
template <typename T>
BlockSums sum_block(const std::byte* r, const std::byte* c,
                    int64_t count) noexcept {
  Lanes difference, squares, dot, reference, candidate, equal, max;
  for (int64_t i = 0; i < count; i += kLanes) {
    for (int l = 0; l < kLanes; ++l) {
      const double a = load<T>(r, i + l);
      const double b = load<T>(c, i + l);
      const double d = a - b;
      const double size = std::abs(d);
      difference.v[l] += size;
      squares.v[l] += d * d;
      dot.v[l] += a * b;
      reference.v[l] += a * a;
      candidate.v[l] += b * b;
      equal.v[l] += d == 0 ? 1.0 : 0.0;
      max.v[l] = size > max.v[l] ? size : max.v[l];
    }
  }
  return {difference.sum(), squares.sum(), dot.sum(), reference.sum(),
          candidate.sum(),  equal.sum(),   max.max()};
}

void count_non_finite(FloatSums& s, double a, double b, int64_t at) noexcept {
  NonFinite& n = s.non_finite;
  n.reference_nan += std::isnan(a);
  n.reference_inf += std::isinf(a);
  n.candidate_nan += std::isnan(b);
  n.candidate_inf += std::isinf(b);
  const bool matching = (std::isnan(a) && std::isnan(b)) || a == b;
  n.matching += matching;
  n.mismatching += !matching;
  if (!matching && s.non_finite_at < 0) s.non_finite_at = at;
  n.nan_became_finite += std::isnan(a) && std::isfinite(b);
}

template <typename T>
void add_pairs(FloatSums& s, const std::byte* r, const std::byte* c,
               int64_t begin, int64_t end) noexcept {
  for (int64_t i = begin; i < end; ++i) {
    const double a = load<T>(r, i);
    const double b = load<T>(c, i);
    if (!std::isfinite(a) || !std::isfinite(b)) {
      count_non_finite(s, a, b, i);
      continue;
    }
    const double d = a - b;
    const double size = std::abs(d);
    ++s.finite;
    s.equal += d == 0;
    s.difference += size;
    s.squares += d * d;
    s.dot += a * b;
    s.reference += a * a;
    s.candidate += b * b;
    if (size > s.max) {
      s.max = size;
      s.max_at = i;
    }
  }
}

}  // namespace

template <typename T>
void add_floats(FloatSums& s, const std::byte* r, const std::byte* c,
                int64_t count) noexcept {
  constexpr auto kSize = static_cast<int64_t>(sizeof(T));
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t whole = std::min(kBlock, count - begin) / kLanes * kLanes;
    const int64_t end = std::min(begin + kBlock, count);
    const BlockSums b =
        sum_block<T>(r + begin * kSize, c + begin * kSize, whole);
    if (!b.finite()) {
      add_pairs<T>(s, r, c, begin, end);
      continue;
    }
    s.finite += whole;
    s.equal += static_cast<int64_t>(b.equal);
    s.difference += b.difference;
    s.squares += b.squares;
    s.dot += b.dot;
    s.reference += b.reference;
    s.candidate += b.candidate;
    if (b.max > s.max) {
      s.max = b.max;
      for (int64_t i = begin; i < begin + whole; ++i)
        if (std::abs(load<T>(r, i) - load<T>(c, i)) == b.max) {
          s.max_at = i;
          break;
        }
    }
    add_pairs<T>(s, r, c, begin + whole, end);
  }
}

template void add_floats<float>(FloatSums&, const std::byte*, const std::byte*,
                                int64_t) noexcept;
template void add_floats<double>(FloatSums&, const std::byte*, const std::byte*,
                                 int64_t) noexcept;

void merge(FloatSums& s, const FloatSums& other) noexcept {
  s.finite += other.finite;
  s.equal += other.equal;
  s.difference += other.difference;
  s.squares += other.squares;
  s.dot += other.dot;
  s.reference += other.reference;
  s.candidate += other.candidate;
  NonFinite& n = s.non_finite;
  const NonFinite& m = other.non_finite;
  n.reference_nan += m.reference_nan;
  n.reference_inf += m.reference_inf;
  n.candidate_nan += m.candidate_nan;
  n.candidate_inf += m.candidate_inf;
  n.matching += m.matching;
  n.mismatching += m.mismatching;
  n.nan_became_finite += m.nan_became_finite;
}

}  // namespace octavo
