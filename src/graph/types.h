// What a model declares about the types of its values. Octavo infers none: what
// is not declared is not known.
#pragma once

#include <optional>

#include "graph/index.h"

namespace octavo {

// Rank of a value from its declared type, or of a constant.
std::optional<int64_t> declared_rank(const GraphIndex& index,
                                     const Scope* scope, std::string_view name);

}  // namespace octavo
