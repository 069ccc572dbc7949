// Tolerances held against a finished comparison. No tolerance, no check.
#pragma once

#include <vector>

#include "octavo/compare.h"

namespace octavo {

// Throws Error(usage) for a tolerance that is no number or out of its range,
// and for one that needs labels where there are none.
void check_tolerances(const CompareOptions& options);

std::vector<Check> make_checks(const CompareResult& result,
                               const Tolerances& tolerances);

}  // namespace octavo
