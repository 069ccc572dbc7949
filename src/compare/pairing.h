// Which outputs of two models belong together, and whether both models can
// run on the same samples at all. Looks at declarations only.
#pragma once

#include <string>
#include <vector>

#include "octavo/runner.h"

namespace octavo {

struct OutputPair {
  std::string name;
  size_t reference;  // position in each model's outputs
  size_t candidate;
};

struct Pairing {
  std::vector<OutputPair> pairs;  // in the reference's order
  std::vector<std::string> only_reference;
  std::vector<std::string> only_candidate;
};

// Pairs by name. Throws Error(usage) where no name is in both.
Pairing pair_outputs(const Runner& reference, const Runner& candidate);

// Throws Error(usage) with a sentence where the models do not declare the
// same inputs: a name that only one has, or two element types.
void check_same_inputs(const Runner& reference, const Runner& candidate);

}  // namespace octavo
