#include "compare/spread.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "compare/decoder.h"

namespace octavo {
namespace {

constexpr int64_t kPiece = Decoder::kPiece;

// Sums over one sample, or over all where samples are unknown.
struct Row {
  int64_t pairs = 0;
  double max = 0, squares = 0, reference = 0, candidate = 0, dot = 0;
};

bool differs_more(const SampleDifference& a, const SampleDifference& b) {
  return a.max_abs != b.max_abs ? a.max_abs > b.max_abs : a.sample < b.sample;
}

void keep_worst(std::vector<SampleDifference>& worst,
                const SampleDifference& s) {
  if (s.max_abs == 0) return;
  if (worst.size() == kWorstKept && !differs_more(s, worst.back())) return;
  worst.insert(std::lower_bound(worst.begin(), worst.end(), s, differs_more),
               s);
  if (worst.size() > kWorstKept) worst.pop_back();
}

// Adds the moments of n pairs with these means and centered sums.
void add_moments(Spread& s, int64_t n, double mean_r, double mean_c,
                 double m_rr, double m_cc, double m_rc) {
  if (n == 0) return;
  const double dr = mean_r - s.mean_r, dc = mean_c - s.mean_c;
  const auto before = static_cast<double>(s.pairs);
  const auto all = before + static_cast<double>(n);
  const double weight = before * static_cast<double>(n) / all;
  s.m_rr += m_rr + dr * dr * weight;
  s.m_cc += m_cc + dc * dc * weight;
  s.m_rc += m_rc + dr * dc * weight;
  s.mean_r += dr * static_cast<double>(n) / all;
  s.mean_c += dc * static_cast<double>(n) / all;
  s.pairs += n;
}

// One piece of at most kPiece pairs.
void add_piece(Spread& s, Row& row, double* r, double* c, size_t n) {
  // Finite pairs to the front.
  size_t kept = 0;
  double sum_r = 0, sum_c = 0;
  for (size_t i = 0; i < n; ++i) {
    if (!std::isfinite(r[i]) || !std::isfinite(c[i])) continue;
    r[kept] = r[i];
    c[kept] = c[i];
    sum_r += r[i];
    sum_c += c[i];
    ++kept;
  }
  if (kept == 0) return;
  const auto count = static_cast<double>(kept);
  const double mean_r = sum_r / count, mean_c = sum_c / count;
  double m_rr = 0, m_cc = 0, m_rc = 0;
  for (size_t i = 0; i < kept; ++i) {
    const double a = r[i] - mean_r, b = c[i] - mean_c;
    m_rr += a * a;
    m_cc += b * b;
    m_rc += a * b;
    const double d = std::abs(r[i] - c[i]);
    s.sketch.add(d);
    const double relative = d / std::max(std::abs(r[i]), kRelativeGuard);
    s.max_relative = std::max(s.max_relative, relative);
    s.sum_relative += relative;
    row.max = std::max(row.max, d);
    row.squares += d * d;
    row.reference += r[i] * r[i];
    row.candidate += c[i] * c[i];
    row.dot += r[i] * c[i];
  }
  row.pairs += static_cast<int64_t>(kept);
  add_moments(s, static_cast<int64_t>(kept), mean_r, mean_c, m_rr, m_cc, m_rc);
}

}  // namespace

void DifferenceSketch::add(double difference) noexcept {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(difference));
  if (bits < 0x00800000) {
    ++zeros;
    return;
  }
  if (buckets.empty()) buckets.resize(kBuckets);
  ++buckets[std::min<size_t>(bits >> kShift, kBuckets - 1)];
}

int64_t DifferenceSketch::count() const noexcept {
  int64_t n = zeros;
  for (const int64_t b : buckets) n += b;
  return n;
}

double DifferenceSketch::value(size_t bucket) noexcept {
  const auto low = static_cast<uint32_t>(bucket) << kShift;
  return static_cast<double>(
      std::bit_cast<float>(low + (uint32_t{1} << (kShift - 1))));
}

double DifferenceSketch::quantile(double share) const noexcept {
  const int64_t all = count();
  const auto rank = std::max<int64_t>(
      1, static_cast<int64_t>(std::ceil(share * static_cast<double>(all))));
  int64_t seen = zeros;
  if (seen >= rank) return 0;
  for (size_t b = 0; b < buckets.size(); ++b)
    if ((seen += buckets[b]) >= rank) return value(b);
  return 0;
}

void update(Spread& s, const TensorView& r, const TensorView& c, int64_t first,
            int64_t rows) {
  const bool complex =
      r.type == DType::complex64 || r.type == DType::complex128;
  const int64_t all = element_count(r.shape) * (complex ? 2 : 1);
  if (all == 0) return;
  const int64_t length = rows > 0 ? all / rows : all;
  Decoder reference(r.type, r.bytes), candidate(c.type, c.bytes);
  std::array<double, kPiece> a, b;
  for (int64_t begin = 0, row = 0; begin < all; begin += length, ++row) {
    Row sums;
    for (int64_t at = begin; at < begin + length; at += kPiece) {
      const int64_t n = std::min(kPiece, begin + length - at);
      reference.read(at, n, a.data());
      candidate.read(at, n, b.data());
      add_piece(s, sums, a.data(), b.data(), static_cast<size_t>(n));
    }
    if (rows <= 0 || sums.pairs == 0) continue;
    SampleDifference d;
    d.sample = first + row;
    d.max_abs = sums.max;
    d.rmse = std::sqrt(sums.squares / static_cast<double>(sums.pairs));
    if (sums.reference > 0)
      d.relative_l2 = std::sqrt(sums.squares / sums.reference);
    if (sums.reference > 0 && sums.candidate > 0)
      d.cosine = std::clamp(
          sums.dot / std::sqrt(sums.reference) / std::sqrt(sums.candidate),
          -1.0, 1.0);
    keep_worst(s.worst, d);
  }
}

void merge(Spread& s, const Spread& other) {
  s.sketch.zeros += other.sketch.zeros;
  if (!other.sketch.buckets.empty()) {
    s.sketch.buckets.resize(DifferenceSketch::kBuckets);
    for (size_t b = 0; b < DifferenceSketch::kBuckets; ++b)
      s.sketch.buckets[b] += other.sketch.buckets[b];
  }
  s.max_relative = std::max(s.max_relative, other.max_relative);
  s.sum_relative += other.sum_relative;
  add_moments(s, other.pairs, other.mean_r, other.mean_c, other.m_rr,
              other.m_cc, other.m_rc);
  for (const SampleDifference& d : other.worst) keep_worst(s.worst, d);
}

SpreadSummary finish(const Spread& s) {
  SpreadSummary out;
  out.worst = s.worst;
  if (s.pairs == 0) return out;
  out.p50 = s.sketch.quantile(0.5);
  out.p90 = s.sketch.quantile(0.9);
  out.p99 = s.sketch.quantile(0.99);
  out.p999 = s.sketch.quantile(0.999);
  out.max_relative = s.max_relative;
  out.mean_relative = s.sum_relative / static_cast<double>(s.pairs);
  if (s.m_rr > 0 && s.m_cc > 0)
    out.pearson =
        std::clamp(s.m_rc / std::sqrt(s.m_rr) / std::sqrt(s.m_cc), -1.0, 1.0);
  if (s.sketch.zeros > 0) out.histogram.push_back({0, s.sketch.zeros});
  // By octaves: differences below 2^k and not below 2^(k - 1).
  constexpr size_t kOctave = size_t{1} << (23 - DifferenceSketch::kShift);
  for (size_t b = 0; b < s.sketch.buckets.size(); b += kOctave) {
    int64_t n = 0;
    for (size_t i = b; i < b + kOctave; ++i) n += s.sketch.buckets[i];
    if (n > 0)
      out.histogram.push_back(
          {std::ldexp(1.0, static_cast<int>(b / kOctave) - 126), n});
  }
  return out;
}

}  // namespace octavo
