#include "kernels/transpose.h"

#include <algorithm>

namespace octavo::kernels {

void transpose_bytes(const int8_t* in, size_t rows, size_t cols,
                     size_t in_stride, int8_t* out,
                     size_t out_stride) noexcept {
  constexpr size_t kBlock = 64;  // a cache line of bytes each way
  for (size_t r0 = 0; r0 < rows; r0 += kBlock)
    for (size_t c0 = 0; c0 < cols; c0 += kBlock) {
      const size_t r1 = std::min(r0 + kBlock, rows);
      const size_t c1 = std::min(c0 + kBlock, cols);
      for (size_t c = c0; c < c1; ++c)
        for (size_t r = r0; r < r1; ++r)
          out[c * out_stride + r] = in[r * in_stride + c];
    }
}

}  // namespace octavo::kernels
