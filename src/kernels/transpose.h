// A matrix of bytes turned over, in blocks of a cache line each way.
#pragma once

#include <cstddef>
#include <cstdint>

namespace octavo::kernels {

// out[c, r] = in[r, c]: `in` has `rows` rows, `in_stride` bytes apart; `out`
// has `cols` rows, `out_stride` bytes apart.
void transpose_bytes(const int8_t* in, size_t rows, size_t cols,
                     size_t in_stride, int8_t* out, size_t out_stride) noexcept;

}  // namespace octavo::kernels
