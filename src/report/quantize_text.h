// A plan, or what became of it, for a terminal.
#pragma once

#include <limits>
#include <string>

#include "report/colour.h"
#include "report/quantize_context.h"

namespace octavo {

// A summary by operator, and a line for each of at most `nodes` nodes; a last
// one says how many there are more.
std::string quantize_text(const QuantizeContext& context, size_t nodes,
                          const TextOptions& options);

constexpr size_t kFirstNodes = 100;  // as much as a person reads
constexpr size_t kEveryNode = std::numeric_limits<size_t>::max();

// The part that says what became of the operators, for other reports.
std::string fates_text(const Plan& plan, const TextOptions& options);

}  // namespace octavo
