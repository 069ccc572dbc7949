// Which outputs of two models belong together, and whether both models can
// run on the same samples at all. Looks at declarations only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "octavo/runner.h"

namespace octavo {

struct OutputPair {
  std::string name;
  size_t reference;  // position in each model's outputs
  size_t candidate;
  std::string note = {};  // how they came together, unless by name
};

struct Pairing {
  std::vector<OutputPair> pairs;  // in the reference's order
  std::vector<std::string> only_reference;
  std::vector<std::string> only_candidate;
};

using OutputMap = std::vector<std::pair<std::string, std::string>>;

// Pairs as `map` says, the others by name, and what is left, where both sides
// have as many left and their kinds, types and ranks agree, by position.
// Throws Error(usage) where nothing pairs, and for a map of names that are
// none, with the nearest ones.
Pairing pair_outputs(const Runner& reference, const Runner& candidate,
                     const OutputMap& map = {});

// Throws Error(usage) with a sentence where the models do not declare the
// same inputs: a name that only one has, or two element types.
void check_same_inputs(const Runner& reference, const Runner& candidate);

}  // namespace octavo
