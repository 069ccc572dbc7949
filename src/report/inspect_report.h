// What `octavo inspect` says of one model, and of two: as text and as JSON,
// schema "octavo.inspect/1" (docs/inspect.md lists its fields).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "octavo/inspect.h"
#include "octavo/plan.h"
#include "report/colour.h"
#include "report/json.h"

namespace octavo {

struct InspectedModel {
  std::string path;
  Inspection inspection;
};

// Two models: what became of the first one's nodes in the second, and why the
// second one's still are float.
struct InspectedPair {
  InspectedModel before, after;
  std::vector<Change> changes;
  Plan left;  // a plan for the second one: reasons for what is float
};

std::string inspect_text(const InspectedModel& model, size_t tensors,
                         const TextOptions& options);
std::string inspect_text(const InspectedPair& pair, const TextOptions& options);
Json inspect_json(const InspectedModel& model);
Json inspect_json(const InspectedPair& pair);

}  // namespace octavo
