// The probes of a comparison, a line each.
#pragma once

#include <string>

#include "octavo/compare.h"
#include "report/colour.h"
#include "report/json.h"
#include "report/table.h"

namespace octavo {

// "" where none was run.
std::string probes_text(const CompareResult& result,
                        const TextOptions& options);
// Those that were done, with both models' movements.
Table probes_table(const CompareResult& result);
Json probes_json(const CompareResult& result);

}  // namespace octavo
