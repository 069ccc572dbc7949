// A verdict for continuous integration: JUnit's XML, one test case a limit.
// Its door: `junit_xml`.
#pragma once

#include <ctime>
#include <string>

#include "octavo/compare.h"
#include "report/compare_context.h"

namespace octavo {

// Fits the schema of Apache Ant's JUnit task, the narrowest in use: what it
// demands stands there even where it says nothing. `suite` is the command,
// "octavo compare"; `now` and `seconds` are when and for how long it ran.
std::string junit_xml(const CompareResult& result,
                      const CompareContext& context, const std::string& suite,
                      std::time_t now, double seconds);

}  // namespace octavo
