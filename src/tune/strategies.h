// The ways of quantizing a whole model that a search begins with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "octavo/plan.h"

namespace octavo {

struct Strategy {
  std::string name;
  Recipe recipe;
};

// Those that this model can have, by names that docs/tune.md explains. `base`
// says which nodes, and holds for all.
std::vector<Strategy> strategies(const std::filesystem::path& model,
                                 const Recipe& base);

}  // namespace octavo
