// Weights that an operator will still read as float: then an int8 copy saves
// no bytes, it adds some.
#pragma once

#include "graph/index.h"
#include "octavo/plan.h"

namespace octavo {

// Takes back what was decided for size only (storage, tables) where the float
// weight must stay for another user; where int8 is there for speed, the
// decision stays and says what the second copy costs.
void judge_sharing(const GraphIndex& index, Plan& plan);

}  // namespace octavo
