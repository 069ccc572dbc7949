// One source for all instruction sets: Highway compiles this file once for
// each, and picks at run time.
#include "kernels/quantize.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quantize.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

const hn::ScalableTag<float> df;
const hn::RebindToUnsigned<decltype(df)> du;
const hn::Rebind<int8_t, decltype(df)> dq;

HWY_ATTR inline auto magnitude_bits(const float* w) {
  return hn::And(hn::BitCast(du, hn::LoadU(df, w)), hn::Set(du, 0x7fffffffu));
}

uint32_t scalar_bits(const float* w) {
  uint32_t bits;
  std::memcpy(&bits, w, sizeof bits);
  return bits & 0x7fffffffu;
}

uint32_t AbsmaxBits(const float* w, size_t n) {
  const size_t lanes = hn::Lanes(df);
  auto m0 = hn::Zero(du), m1 = m0, m2 = m0, m3 = m0;
  size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    m0 = hn::Max(m0, magnitude_bits(w + i));
    m1 = hn::Max(m1, magnitude_bits(w + i + lanes));
    m2 = hn::Max(m2, magnitude_bits(w + i + 2 * lanes));
    m3 = hn::Max(m3, magnitude_bits(w + i + 3 * lanes));
  }
  for (; i + lanes <= n; i += lanes) m0 = hn::Max(m0, magnitude_bits(w + i));
  m0 = hn::Max(hn::Max(m0, m1), hn::Max(m2, m3));
  uint32_t best = hn::GetLane(hn::MaxOfLanes(du, m0));
  for (; i < n; ++i) best = std::max(best, scalar_bits(w + i));
  return best;
}

void AbsmaxBitsColumns(const float* w, size_t rows, size_t cols,
                       uint32_t* bits) {
  const size_t lanes = hn::Lanes(df);
  // Four rows at a time stream by; `bits` stays in the nearest caches.
  for (size_t r = 0; r < rows; r += 4) {
    const float* r0 = w + r * cols;
    const float* r1 = r + 1 < rows ? r0 + cols : r0;
    const float* r2 = r + 2 < rows ? r1 + cols : r0;
    const float* r3 = r + 3 < rows ? r2 + cols : r0;
    size_t c = 0;
    for (; c + lanes <= cols; c += lanes) {
      const auto a = hn::Max(magnitude_bits(r0 + c), magnitude_bits(r1 + c));
      const auto b = hn::Max(magnitude_bits(r2 + c), magnitude_bits(r3 + c));
      hn::StoreU(hn::Max(hn::LoadU(du, bits + c), hn::Max(a, b)), du, bits + c);
    }
    for (; c < cols; ++c)
      for (const float* row : {r0, r1, r2, r3})
        bits[c] = std::max(bits[c], scalar_bits(row + c));
  }
}

// Rounds half to even in the processor's default mode.
template <class V>
HWY_ATTR inline auto to_int8(V x) {
  const auto limit = hn::Set(df, 127.0f);
  x = hn::Min(hn::Max(x, hn::Neg(limit)), limit);
  return hn::DemoteTo(dq, hn::NearestInt(x));
}

template <class ScaleAt>
HWY_ATTR inline void quantize_loop(const float* w, size_t n, int8_t* q,
                                   const ScaleAt& scale_at) {
  const size_t lanes = hn::Lanes(df);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(to_int8(hn::Div(hn::LoadU(df, w + i), scale_at(i))), dq, q + i);
  if (i == n) return;
  // The last, shorter vector goes through a padded copy.
  HWY_ALIGN float rest[HWY_LANES(float)] = {};
  HWY_ALIGN int8_t out[HWY_LANES(float)];
  std::memcpy(rest, w + i, (n - i) * sizeof(float));
  hn::StoreU(to_int8(hn::Div(hn::LoadU(df, rest), scale_at(i))), dq, out);
  for (size_t k = i; k < n; ++k) q[k] = out[k - i];
}

void Quantize(const float* w, size_t n, float scale, int8_t* q) {
  const auto s = hn::Set(df, scale);
  quantize_loop(w, n, q, [&](size_t) HWY_ATTR { return s; });
}

void QuantizeEach(const float* w, size_t n, const float* scale, int8_t* q) {
  const size_t lanes = hn::Lanes(df);
  const size_t whole = n / lanes * lanes;
  quantize_loop(w, whole, q,
                [&](size_t i) HWY_ATTR { return hn::LoadU(df, scale + i); });
  for (size_t i = whole; i < n; ++i) Quantize(w + i, 1, scale[i], q + i);
}

// 255 * 128 = 32640 still fits, 255 * 129 does not.
constexpr int kSafeSum = 128;

const hn::ScalableTag<int8_t> d8;

// Lanes where the parts above zero, or below it, sum to more than kSafeSum.
template <class V>
HWY_ATTR inline size_t count_beyond(V x, V y) {
  const hn::DFromV<V> d;
  const hn::RebindToUnsigned<decltype(d)> d8u;
  const auto zero = hn::Zero(d);
  const auto safe = hn::Set(d8u, static_cast<uint8_t>(kSafeSum));
  const auto high = hn::Add(hn::BitCast(d8u, hn::Max(x, zero)),
                            hn::BitCast(d8u, hn::Max(y, zero)));
  const auto low = hn::Add(hn::BitCast(d8u, hn::Max(hn::Neg(x), zero)),
                           hn::BitCast(d8u, hn::Max(hn::Neg(y), zero)));
  return hn::CountTrue(
      d8u, hn::Ne(hn::SaturatedSub(hn::Max(high, low), safe), hn::Zero(d8u)));
}

uint64_t is_beyond(int x, int y) {
  return std::max(x, 0) + std::max(y, 0) > kSafeSum ||
                 std::max(-x, 0) + std::max(-y, 0) > kSafeSum
             ? 1
             : 0;
}

uint64_t CountSaturating(const int8_t* a, const int8_t* b, size_t n) {
  const hn::CappedTag<int8_t, 16> narrow;  // for rows below a whole vector
  const size_t lanes = hn::Lanes(d8), few = hn::Lanes(narrow);
  uint64_t count = 0;
  size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    count += count_beyond(hn::LoadU(d8, a + i), hn::LoadU(d8, b + i));
  for (; i + few <= n; i += few)
    count += count_beyond(hn::LoadU(narrow, a + i), hn::LoadU(narrow, b + i));
  for (; i < n; ++i) count += is_beyond(a[i], b[i]);
  return count;
}

uint64_t CountSaturatingNeighbours(const int8_t* a, size_t pairs) {
  const size_t lanes = hn::Lanes(d8);
  uint64_t count = 0;
  size_t i = 0;
  for (; i + lanes <= pairs; i += lanes) {
    hn::Vec<decltype(d8)> even, odd;
    hn::LoadInterleaved2(d8, a + 2 * i, even, odd);
    count += count_beyond(even, odd);
  }
  for (; i < pairs; ++i) count += is_beyond(a[2 * i], a[2 * i + 1]);
  return count;
}

}  // namespace octavo::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octavo::kernels {

HWY_EXPORT(AbsmaxBits);
HWY_EXPORT(AbsmaxBitsColumns);
HWY_EXPORT(Quantize);
HWY_EXPORT(QuantizeEach);
HWY_EXPORT(CountSaturating);
HWY_EXPORT(CountSaturatingNeighbours);

uint32_t absmax_bits(const float* w, size_t n) noexcept {
  return HWY_DYNAMIC_DISPATCH(AbsmaxBits)(w, n);
}

void absmax_bits_columns(const float* w, size_t rows, size_t cols,
                         uint32_t* bits) noexcept {
  HWY_DYNAMIC_DISPATCH(AbsmaxBitsColumns)(w, rows, cols, bits);
}

void quantize(const float* w, size_t n, float scale, int8_t* q) noexcept {
  HWY_DYNAMIC_DISPATCH(Quantize)(w, n, scale, q);
}

void quantize_each(const float* w, size_t n, const float* scale,
                   int8_t* q) noexcept {
  HWY_DYNAMIC_DISPATCH(QuantizeEach)(w, n, scale, q);
}

uint64_t count_saturating(const int8_t* a, const int8_t* b, size_t n) noexcept {
  return HWY_DYNAMIC_DISPATCH(CountSaturating)(a, b, n);
}

uint64_t count_saturating_neighbours(const int8_t* a, size_t pairs) noexcept {
  return HWY_DYNAMIC_DISPATCH(CountSaturatingNeighbours)(a, pairs);
}

}  // namespace octavo::kernels
#endif  // HWY_ONCE
