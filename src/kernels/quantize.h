// The numeric loops of weight quantization, for the best instruction set of
// the machine. Plain arrays in, plain arrays out: no shapes, no types of ONNX.
// All of them give the same bits on every instruction set. Weights need not be
// aligned: in a protobuf file they start anywhere.
//
// Symmetric int8: scale = absmax / 127, q = round_half_even(w / scale), kept
// within [-127, 127].
#pragma once

#include <cstddef>
#include <cstdint>

namespace octavo::kernels {

// The largest |w[i]| as the bits of a float without its sign; anything at or
// above kInfinityBits says that an Inf or a NaN is among them. 0 for n == 0.
// (The bits of non-negative floats are ordered like the floats, NaN on top.)
inline constexpr uint32_t kInfinityBits = 0x7f800000;
uint32_t absmax_bits(const float* w, size_t n) noexcept;

// For each column c of `rows` rows of `cols` floats:
// bits[c] = max(bits[c], |w[r, c]| as bits).
void absmax_bits_columns(const float* w, size_t rows, size_t cols,
                         uint32_t* bits) noexcept;

// q[i] = w[i] / scale, rounded. Needs finite w and a normal scale.
void quantize(const float* w, size_t n, float scale, int8_t* q) noexcept;

// One scale per element: q[i] = w[i] / scale[i].
void quantize_each(const float* w, size_t n, const float* scale,
                   int8_t* q) noexcept;

// Of the pairs (a[i], b[i]): how many could, times two values of 0 to 255 each,
// leave int16: 255 * (max(a, 0) + max(b, 0)) > 32767, or likewise below zero.
// Needs values in [-127, 127].
uint64_t count_saturating(const int8_t* a, const int8_t* b, size_t n) noexcept;
// The same of the pairs (a[2 i], a[2 i + 1]).
uint64_t count_saturating_neighbours(const int8_t* a, size_t pairs) noexcept;

}  // namespace octavo::kernels
