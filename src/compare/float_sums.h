// The sums behind every measure of floating outputs, over one run of pairs.
// No position here but a flat index; no formula but the sums. Its door:
// `add_floats`.
//
// Summation: runs are cut into blocks of 1024 pairs. A block has four
// interleaved double sums of each kind, which a compiler keeps in vector
// registers without any licence to reorder; they are added pairwise at the
// block's end, and block sums are added in order; pairs of the last,
// incomplete group of four and of blocks with NaN or infinity one by one. So
// of like-signed terms the relative error is at most (260 + blocks) x 2^-53,
// 1024 x 2^-53 more for each block with NaN or infinity. Merging shards
// changes only the order of the sums.
#pragma once

#include <cstddef>
#include <cstdint>

#include "octavo/compare.h"

namespace octavo {

struct FloatSums {
  int64_t finite = 0;     // pairs in the sums
  int64_t equal = 0;      // of them equal
  double difference = 0;  // sum of |r - c|
  double squares = 0;     // sum of (r - c)^2
  double dot = 0;         // sum of r x c
  double reference = 0;   // sum of r^2
  double candidate = 0;   // sum of c^2
  NonFinite non_finite;

  // Largest |r - c| and the index of its first pair; -1: all are equal.
  double max = 0;
  int64_t max_at = -1;

  // Index of the first mismatching pair with NaN or infinity; -1: none.
  int64_t non_finite_at = -1;
};

// Adds `count` pairs of dense little-endian T at any alignment. `max` and
// `max_at` are of this call's pairs only if they exceed the `max` at entry;
// indices count from 0 at each call.
template <typename T>  // float or double
void add_floats(FloatSums& sums, const std::byte* reference,
                const std::byte* candidate, int64_t count) noexcept;

extern template void add_floats<float>(FloatSums&, const std::byte*,
                                       const std::byte*, int64_t) noexcept;
extern template void add_floats<double>(FloatSums&, const std::byte*,
                                        const std::byte*, int64_t) noexcept;

// Adds the counts and sums of `other`; leaves max and the indices alone.
void merge(FloatSums& sums, const FloatSums& other) noexcept;

}  // namespace octavo
