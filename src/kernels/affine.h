// Runs of weights as unsigned integers with a zero point: w ~ scale (q - zero),
// q from 0 to `levels`. All of it gives the same bits on every instruction set:
// sums run in sixteen lanes of a fixed order, whatever a vector holds.
//
// q = clamp(round_half_even(w / scale) + zero, 0, levels). A scale may be
// negative. Weights must be finite, scales normal numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace octavo::kernels {

struct Affine {
  float scale = 1;
  int zero = 0;
};

void quantize_affine(const float* w, size_t n, Affine affine, int levels,
                     uint8_t* q) noexcept;

// The sum of (w - scale (q - zero))^2.
double affine_error(const float* w, size_t n, Affine affine,
                    int levels) noexcept;

// For each column c of one row: error[c] += (w[c] - scale[c] q)^2 with int8 q
// within [-limit, limit] and no zero point.
void add_symmetric_errors(const float* w, size_t n, const float* scale,
                          int limit, float* error) noexcept;

// The least and the greatest of w; 0 and 0 for n == 0.
struct Range {
  float low = 0, high = 0;
};
Range range_of(const float* w, size_t n) noexcept;

}  // namespace octavo::kernels
