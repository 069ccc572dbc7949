// A comparison as Markdown that fits a pull request: the verdict, limits,
// metrics and outputs as tables. Doors: `compare_markdown`, `trial_markdown`.
#pragma once

#include <string>

#include "octavo/compare.h"
#include "report/compare_context.h"
#include "report/trial.h"

namespace octavo {

std::string compare_markdown(const CompareResult& result,
                             const CompareContext& context);
// The same, with size and speed.
std::string trial_markdown(const TrialReport& report);

}  // namespace octavo
