// What a search found: a table of what was tried, what was chosen and why, in
// words; and the document "octavo.tune/1".
#pragma once

#include <string>

#include "octavo/tune.h"
#include "report/colour.h"
#include "report/json.h"

namespace octavo {

struct TuneContext {
  std::string model, output;
  std::string samples;
  std::string runtime_version;
  std::string plan_file;  // empty: none was written
  std::string state_file;
};

std::string tune_text(const TuneResult& result, const TuneContext& context,
                      const TextOptions& options);
Json tune_json(const TuneResult& result, const TuneContext& context);

}  // namespace octavo
