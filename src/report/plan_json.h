// A plan as a JSON document, octavo.plan/1: written by `octavo plan`, edited by
// hand or by a program, read by `octavo quantize --plan`. What is read back of
// it: the model's fingerprint, the recipe, and each node's action.
#pragma once

#include <string>
#include <string_view>

#include "octavo/plan.h"
#include "report/json.h"

namespace octavo {

// Recipe, counts and decisions, as they stand in other documents as well.
Json plan_json(const Plan& plan);

// The whole document. `input` is the model's path as the user gave it.
Json plan_document(const Plan& plan, const std::string& input,
                   const std::string& fingerprint);

struct ReadPlan {
  std::string input, fingerprint;
  Recipe recipe;  // with a wish for each node
};
// Throws Error(format), saying where, for a text that is no such document.
ReadPlan read_plan(std::string_view text);

}  // namespace octavo
