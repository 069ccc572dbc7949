// Squares of 16 x 16 bytes are turned over in registers: four rounds of
// interleaving each square's rows with those half a square further down, after
// which the rows are its columns. Four squares below each other make 16 whole
// cache lines of the output, which are written one after the other: a stride
// that is a power of two would else drive them out of the cache half written.
#include "kernels/transpose.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/transpose.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kSquare = 16;  // bytes of a vector, and vectors of a square
constexpr size_t kLine = 64;    // bytes of a cache line

void TransposeRest(const int8_t* in, size_t rows, size_t cols, size_t in_stride,
                   int8_t* out, size_t out_stride) {
  for (size_t c = 0; c < cols; ++c)
    for (size_t r = 0; r < rows; ++r)
      out[c * out_stride + r] = in[r * in_stride + c];
}

// Vectors without a fixed size cannot stand in an array.
#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE

void TransposeBytes(const int8_t* in, size_t rows, size_t cols,
                    size_t in_stride, int8_t* out, size_t out_stride) {
  TransposeRest(in, rows, cols, in_stride, out, out_stride);
}

#else

const hn::FixedTag<int8_t, kSquare> d;

void TransposeSquare(const int8_t* in, size_t in_stride, int8_t* out,
                     size_t out_stride) {
  hn::Vec<decltype(d)> a[kSquare], b[kSquare];
  for (size_t i = 0; i < kSquare; ++i) a[i] = hn::LoadU(d, in + i * in_stride);
  // A round doubles the runs of one column's bytes within each vector.
  const auto round = [](const auto* from, auto* to) HWY_ATTR {
    for (size_t i = 0; i < kSquare / 2; ++i) {
      to[2 * i] = hn::InterleaveLower(d, from[i], from[i + kSquare / 2]);
      to[2 * i + 1] = hn::InterleaveUpper(d, from[i], from[i + kSquare / 2]);
    }
  };
  round(a, b);
  round(b, a);
  round(a, b);
  round(b, a);
  for (size_t i = 0; i < kSquare; ++i)
    hn::StoreU(a[i], d, out + i * out_stride);
}

void TransposeBytes(const int8_t* in, size_t rows, size_t cols,
                    size_t in_stride, int8_t* out, size_t out_stride) {
  const size_t whole_rows = rows / kSquare * kSquare;
  const size_t whole_cols = cols / kSquare * kSquare;
  for (size_t r = 0; r < whole_rows; r += kLine) {
    const size_t height = std::min(kLine, whole_rows - r);
    for (size_t c = 0; c < whole_cols; c += kSquare) {
      HWY_ALIGN int8_t lines[kSquare * kLine];
      for (size_t k = 0; k < height; k += kSquare)
        TransposeSquare(in + (r + k) * in_stride + c, in_stride, lines + k,
                        kLine);
      for (size_t i = 0; i < kSquare; ++i)
        std::memcpy(out + (c + i) * out_stride + r, lines + i * kLine, height);
    }
  }
  // What no square covers: the right and the lower edge.
  TransposeRest(in + whole_cols, whole_rows, cols - whole_cols, in_stride,
                out + whole_cols * out_stride, out_stride);
  TransposeRest(in + whole_rows * in_stride, rows - whole_rows, cols, in_stride,
                out + whole_rows, out_stride);
}

#endif

}  // namespace octavo::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octavo::kernels {

HWY_EXPORT(TransposeBytes);

void transpose_bytes(const int8_t* in, size_t rows, size_t cols,
                     size_t in_stride, int8_t* out,
                     size_t out_stride) noexcept {
  HWY_DYNAMIC_DISPATCH(TransposeBytes)
  (in, rows, cols, in_stride, out, out_stride);
}

}  // namespace octavo::kernels
#endif  // HWY_ONCE
