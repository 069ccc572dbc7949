#include "compare/exact_counts.h"

#include <cstring>
#include <type_traits>

#include "compare/element.h"

namespace octavo {
namespace {

template <typename T>
uint64_t distance(T a, T b) noexcept {
  // Modulo 2^64 the difference of the larger and the smaller is exact, also
  // where it does not fit the signed type.
  return a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
               : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
}

void note(ExactCounts& c, uint64_t distance, int64_t at) noexcept {
  c.equal += distance == 0;
  if (distance > c.max) {
    c.max = distance;
    c.max_at = at;
  }
}

template <typename T>
void add_integers(ExactCounts& c, Bytes r, Bytes k, int64_t count) noexcept {
  for (int64_t i = 0; i < count; ++i) {
    T a, b;
    const auto at = i * static_cast<int64_t>(sizeof(T));
    std::memcpy(&a, r.data() + at, sizeof(T));
    std::memcpy(&b, k.data() + at, sizeof(T));
    note(c, distance(a, b), i);
  }
}

uint64_t distance(const Scalar& a, const Scalar& b) {
  if (const auto* x = std::get_if<int64_t>(&a))
    return distance(*x, std::get<int64_t>(b));
  return distance(std::get<uint64_t>(a), std::get<uint64_t>(b));
}

// Any type, slowly; codes and bools differ by 1 or not at all.
void add_elements(ExactCounts& c, DType type, Bytes r, Bytes k, int64_t count) {
  const bool codes = measure_of(type) == Measure::exact;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t d = distance(element_at(type, r, i), element_at(type, k, i));
    note(c, codes ? d != 0 : d, i);
  }
}

}  // namespace

void add_exact(ExactCounts& c, DType type, Bytes r, Bytes k, int64_t count) {
  switch (type) {
    case DType::int8:
      return add_integers<int8_t>(c, r, k, count);
    case DType::uint8:
      return add_integers<uint8_t>(c, r, k, count);
    case DType::int16:
      return add_integers<int16_t>(c, r, k, count);
    case DType::uint16:
      return add_integers<uint16_t>(c, r, k, count);
    case DType::int32:
      return add_integers<int32_t>(c, r, k, count);
    case DType::uint32:
      return add_integers<uint32_t>(c, r, k, count);
    case DType::int64:
      return add_integers<int64_t>(c, r, k, count);
    case DType::uint64:
      return add_integers<uint64_t>(c, r, k, count);
    default:
      return add_elements(c, type, r, k, count);
  }
}

}  // namespace octavo
