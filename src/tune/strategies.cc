#include "tune/strategies.h"

#include "octavo/error.h"
#include "tune/mixture.h"

namespace octavo {
namespace {

bool computes_in_integers(Action action) {
  return action == Action::integer || action == Action::dynamic_lstm ||
         action == Action::conv_integer;
}

}  // namespace

std::vector<Strategy> strategies(const std::filesystem::path& path,
                                 const Recipe& base) {
  Model model = open_model(path);
  const Plan plan = prepare_and_plan(model, base);
  std::vector<Strategy> out;
  if (plan.quantized == 0) return out;

  // Weights as int8, everything computed in float.
  Plan stored = plan;
  bool differs = false;
  for (Decision& d : stored.decisions)
    if (computes_in_integers(d.action)) {
      d.action = Action::storage;
      differs = true;
    }
  if (differs) {
    Recipe recipe = wish_all(stored);
    try {
      Model again = open_model(path);
      prepare_and_plan(again, recipe);
      out.push_back({"storage", std::move(recipe)});
    } catch (const Error&) {
      // A node that can only be computed in integers: then not this way.
    }
  }
  out.push_back({"dynamic", base});
  return out;
}

}  // namespace octavo
