// Which layers cost most, as a table, as JSON ("octavo.sensitivity/1") and as
// a page with a chart.
#pragma once

#include <string>

#include "octavo/sensitivity.h"
#include "report/colour.h"
#include "report/json.h"

namespace octavo {

struct SensitivityContext {
  std::string model;  // path as the user gave it
  std::string samples;
  std::string runtime_version;
  std::string command;  // as typed
};

// The layers that cost most alone first; at most `shown` of them.
std::string sensitivity_text(const SensitivityResult& result,
                             const SensitivityContext& context, size_t shown,
                             const TextOptions& options);
// All of them, in the model's order.
Json sensitivity_json(const SensitivityResult& result,
                      const SensitivityContext& context);
std::string sensitivity_html(const SensitivityResult& result,
                             const SensitivityContext& context);

}  // namespace octavo
