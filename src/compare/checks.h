// What can be checked before a comparison, and tolerances held against a
// finished one. No tolerance, no check.
#pragma once

#include <vector>

#include "octavo/compare.h"

namespace octavo {

// Throws Error(usage) for a tolerance that is no number or out of its range,
// and for one that needs labels where there are none.
void check_tolerances(const CompareOptions& options);

// Throws Error(usage) for labels that are not one for each sample, and for a
// label output that the model does not have. Without labels nothing happens.
void check_labels(const Runner& reference, const SampleSource& samples,
                  const CompareOptions& options);

std::vector<Check> make_checks(const CompareResult& result,
                               const Tolerances& tolerances);

}  // namespace octavo
