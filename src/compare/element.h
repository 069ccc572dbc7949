// One element of a tensor as an exact value, for messages and reports; and
// how elements of each type are compared. Not for loops over tensors.
#pragma once

#include "octavo/compare.h"
#include "octavo/tensor.h"

namespace octavo {

// Measure::none for types that are no element type.
Measure measure_of(DType type) noexcept;

// The element at a flat index: double for floats and, at index 2k and 2k + 1,
// for the parts of complex element k; int64 for bool and signed integers;
// uint64 for unsigned ones.
// The caller has checked the index and the size of `bytes`; not for strings.
Scalar element_at(DType type, Bytes bytes, int64_t index);

// An integer or bool element as int64; uint64 beyond it turns negative.
int64_t integer_at(DType type, Bytes bytes, int64_t index);

// Row-major position of a flat index; the shape has no zero.
Shape position_of(std::span<const int64_t> shape, int64_t index);

}  // namespace octavo
