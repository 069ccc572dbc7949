// A single measurement that candidates are ordered by. Its door: `badness_of`.
#pragma once

#include <string>
#include <vector>

#include "octavo/limits.h"

namespace octavo {

// The measurement `by`, so that greater is worse: one whose best value is high
// is negated; infinite where it is undefined. Throws Error(usage) with the
// nearest names where there is none of that name.
double badness_of(const CompareResult& result, const std::string& by);

}  // namespace octavo
