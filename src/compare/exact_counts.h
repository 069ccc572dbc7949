// Pairs of integers, bools and codes, counted exactly: no double on the way.
// Its door: `add_exact`.
#pragma once

#include "octavo/tensor.h"

namespace octavo {

struct ExactCounts {
  int64_t equal = 0;
  // Integers: the largest |r - c| (it fits 64 unsigned bits for every pair)
  // and the index of its first pair. Bools and codes: 1 and the first pair
  // that differs. -1: all are equal.
  uint64_t max = 0;
  int64_t max_at = -1;
};

// Adds `count` pairs of dense elements at any alignment. `max` and `max_at`
// change only where this call exceeds the `max` at entry; indices count from
// 0. Not for strings and floats of 16 bits or more.
void add_exact(ExactCounts& counts, DType type, Bytes reference,
               Bytes candidate, int64_t count);

}  // namespace octavo
