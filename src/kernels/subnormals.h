// Divisions with subnormal numbers in them take a slow path in x86 processors:
// four to a hundred times as long. While a SubnormalsAsZero lives, its thread
// takes and gives zeros for them, which changes no w / scale that is rounded to
// a whole number, as long as the scale is kSafeScale or more: what becomes zero
// was below 1/4. Elsewhere it does nothing, and nothing is slow.
#pragma once

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

namespace octavo::kernels {

// 1/4 of it is the smallest normal number.
inline constexpr float kSafeScale = 0x1p-124f;

class SubnormalsAsZero {
 public:
#ifdef __SSE2__
  explicit SubnormalsAsZero(bool wanted) noexcept : before_(_mm_getcsr()) {
    constexpr unsigned kInputs = 0x0040, kResults = 0x8000;
    if (wanted) _mm_setcsr(before_ | kInputs | kResults);
  }
  ~SubnormalsAsZero() { _mm_setcsr(before_); }
#else
  explicit SubnormalsAsZero(bool) noexcept {}
#endif
  SubnormalsAsZero(const SubnormalsAsZero&) = delete;
  SubnormalsAsZero& operator=(const SubnormalsAsZero&) = delete;

 private:
#ifdef __SSE2__
  unsigned before_;
#endif
};

}  // namespace octavo::kernels
