// One source for all instruction sets; compiled without contraction of
// products and sums, which would round otherwise where there is an FMA.
#include "kernels/affine.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/affine.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kLanes = 16;  // of sums
constexpr size_t kRun = 1024;  // added up in float before double
const hn::CappedTag<float, kLanes> df;
const hn::Rebind<uint8_t, decltype(df)> dq;
const hn::Rebind<int32_t, decltype(df)> di;

// q - zero, still as floats.
template <class V>
HWY_ATTR inline V steps(V w, V scale, V low, V high) {
  return hn::Min(hn::Max(hn::Round(hn::Div(w, scale)), low), high);
}

void QuantizeAffine(const float* w, size_t n, Affine a, int levels,
                    uint8_t* q) {
  const size_t lanes = hn::Lanes(df);
  const auto scale = hn::Set(df, a.scale);
  const auto low = hn::Set(df, static_cast<float>(-a.zero));
  const auto high = hn::Set(df, static_cast<float>(levels - a.zero));
  const auto zero = hn::Set(di, a.zero);
  const auto one = [&](const float* from, uint8_t* to) HWY_ATTR {
    const auto x = steps(hn::LoadU(df, from), scale, low, high);
    hn::StoreU(hn::DemoteTo(dq, hn::Add(hn::ConvertTo(di, x), zero)), dq, to);
  };
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) one(w + i, q + i);
  if (i == n) return;
  float rest[kLanes] = {};
  uint8_t out[kLanes];
  std::memcpy(rest, w + i, (n - i) * sizeof(float));
  one(rest, out);
  std::memcpy(q + i, out, n - i);
}

double AffineError(const float* w, size_t n, Affine a, int levels) {
  const size_t lanes = hn::Lanes(df);
  const auto scale = hn::Set(df, a.scale);
  const auto low = hn::Set(df, static_cast<float>(-a.zero));
  const auto high = hn::Set(df, static_cast<float>(levels - a.zero));
  double sum = 0;
  for (size_t begin = 0; begin < n; begin += kRun) {
    float part[kLanes] = {};
    const auto add = [&](const float* from) HWY_ATTR {
      for (size_t k = 0; k < kLanes; k += lanes) {
        const auto v = hn::LoadU(df, from + k);
        const auto d = hn::Sub(v, hn::Mul(scale, steps(v, scale, low, high)));
        hn::StoreU(hn::Add(hn::LoadU(df, part + k), hn::Mul(d, d)), df,
                   part + k);
      }
    };
    const size_t end = std::min(n, begin + kRun);
    size_t i = begin;
    for (; i + kLanes <= end; i += kLanes) add(w + i);
    if (i < end) {  // 0 is a step, so what pads has no error
      float rest[kLanes] = {};
      std::memcpy(rest, w + i, (end - i) * sizeof(float));
      add(rest);
    }
    for (const float p : part) sum += static_cast<double>(p);
  }
  return sum;
}

void AddSymmetricErrors(const float* w, size_t n, const float* scale, int limit,
                        float* error) {
  const size_t lanes = hn::Lanes(df);
  const auto high = hn::Set(df, static_cast<float>(limit));
  const auto low = hn::Neg(high);
  const auto one = [&](const float* from, const float* scales,
                       float* to) HWY_ATTR {
    const auto v = hn::LoadU(df, from);
    const auto s = hn::LoadU(df, scales);
    const auto d = hn::Sub(v, hn::Mul(s, steps(v, s, low, high)));
    hn::StoreU(hn::Add(hn::LoadU(df, to), hn::Mul(d, d)), df, to);
  };
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) one(w + i, scale + i, error + i);
  if (i == n) return;
  float v[kLanes] = {}, s[kLanes], e[kLanes] = {};
  std::fill(s, s + kLanes, 1.0f);
  std::memcpy(v, w + i, (n - i) * sizeof(float));
  std::memcpy(s, scale + i, (n - i) * sizeof(float));
  std::memcpy(e, error + i, (n - i) * sizeof(float));
  one(v, s, e);
  std::memcpy(error + i, e, (n - i) * sizeof(float));
}

Range RangeOf(const float* w, size_t n) {
  if (n == 0) return {};
  const size_t lanes = hn::Lanes(df);
  auto low = hn::Set(df, w[0]), high = low;
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto v = hn::LoadU(df, w + i);
    low = hn::Min(low, v);
    high = hn::Max(high, v);
  }
  Range r = {hn::GetLane(hn::MinOfLanes(df, low)),
             hn::GetLane(hn::MaxOfLanes(df, high))};
  for (; i < n; ++i) {
    r.low = std::min(r.low, w[i]);
    r.high = std::max(r.high, w[i]);
  }
  return r;
}

}  // namespace octavo::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octavo::kernels {

HWY_EXPORT(QuantizeAffine);
HWY_EXPORT(AffineError);
HWY_EXPORT(AddSymmetricErrors);
HWY_EXPORT(RangeOf);

void quantize_affine(const float* w, size_t n, Affine affine, int levels,
                     uint8_t* q) noexcept {
  HWY_DYNAMIC_DISPATCH(QuantizeAffine)(w, n, affine, levels, q);
}

double affine_error(const float* w, size_t n, Affine affine,
                    int levels) noexcept {
  return HWY_DYNAMIC_DISPATCH(AffineError)(w, n, affine, levels);
}

void add_symmetric_errors(const float* w, size_t n, const float* scale,
                          int limit, float* error) noexcept {
  HWY_DYNAMIC_DISPATCH(AddSymmetricErrors)(w, n, scale, limit, error);
}

Range range_of(const float* w, size_t n) noexcept {
  return HWY_DYNAMIC_DISPATCH(RangeOf)(w, n);
}

}  // namespace octavo::kernels
#endif  // HWY_ONCE
