// A comparison as a JSON document, schema "octavo.compare/1": docs/compare.md
// lists its fields.
#pragma once

#include "octavo/compare.h"
#include "report/compare_context.h"
#include "report/json.h"
#include "report/task_json.h"

namespace octavo {

Json compare_json(const CompareResult& result, const CompareContext& context);

// Parts that other documents share.
const char* verdict_name(Verdict verdict);
Json checks_json(const std::vector<Check>& checks);
Json output_json(const OutputSummary& output);
Json outputs_json(const CompareResult& result);
Json samples_json(const CompareResult& result);
Json runtime_json(const CompareContext& context);

}  // namespace octavo
