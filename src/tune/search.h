// Which layers may be high (quantized, or quantized harder) so that a demand
// still holds and as much as possible is gained. It knows no model and no
// runtime: only costs, gains, and a question that it may ask. Its door:
// `search`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace octavo {

// Which layers are high.
using Choice = std::vector<bool>;

struct SearchLayer {
  double cost = 0;  // error when only this layer is high; may be infinite
  double gain = 0;  // bytes or time that it saves when high; may be negative
};

// Does the demand hold for a choice? Empty: out of time, ask no more.
using Holds = std::function<std::optional<bool>(const Choice&)>;

struct SearchResult {
  std::optional<Choice> best;  // holds, and has the most gain of those asked
  int64_t asked = 0;
  bool complete = false;  // false: it ran out of time
};

// With all layers high the demand does not hold; with all low it is taken to.
// Layers are ordered by cost per gain; the shortest head of that order that
// must be low is found by bisection, which asks log2(n) times and is exact
// where low layers never do harm; then each low layer, the one that gains most
// first, is tried high by itself. Every choice is asked at most once.
SearchResult search(std::span<const SearchLayer> layers, const Holds& holds);

// The sum of the gains of the layers that are high.
double gain_of(std::span<const SearchLayer> layers, const Choice& choice);

}  // namespace octavo
