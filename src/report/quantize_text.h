// A plan, or what became of it, for a terminal.
#pragma once

#include <string>

#include "report/colour.h"
#include "report/quantize_context.h"

namespace octavo {

// A summary by operator; with `every_node` a line for each node as well.
std::string quantize_text(const QuantizeContext& context, bool every_node,
                          const TextOptions& options);

// The part that says what became of the operators, for other reports.
std::string fates_text(const Plan& plan, const TextOptions& options);

}  // namespace octavo
