// A comparison as text for a terminal: the verdict and the answers first, then
// a table of outputs, the worst elements, the flipped samples, and last what
// was compared. Doors: `compare_text`; the parts serve other reports.
#pragma once

#include <string>

#include "octavo/compare.h"
#include "report/colour.h"
#include "report/compare_context.h"
#include "report/table.h"
#include "report/task_text.h"

namespace octavo {

std::string compare_text(const CompareResult& result,
                         const CompareContext& context,
                         const TextOptions& options = {});

std::string verdict_text(const CompareResult& result,
                         const TextOptions& options);
// What could not be compared, a line each; empty where all could be.
std::string failures_text(const CompareResult& result,
                          const TextOptions& options);
std::string outputs_text(const CompareResult& result,
                         const TextOptions& options);
// The worst elements, NaN and infinity, notes: a sentence each.
std::string details_text(const CompareResult& result,
                         const TextOptions& options);

Table outputs_table(const CompareResult& result);

}  // namespace octavo
