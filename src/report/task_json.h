// What labels told, as parts of the document "octavo.compare/1".
#pragma once

#include "octavo/compare.h"
#include "report/json.h"

namespace octavo {

Json answers_json(const CompareResult& result);  // null without classes
Json metrics_json(const CompareResult& result);
Json figures_json(const CompareResult& result);

}  // namespace octavo
