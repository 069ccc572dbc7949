#include "quant/wishes.h"

#include <fmt/format.h>

#include "base/names.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr Action kActions[] = {Action::integer,   Action::dynamic_lstm,
                               Action::gather,    Action::conv_integer,
                               Action::attention, Action::storage,
                               Action::blocks4,   Action::blocks8};

std::string node_text(const std::string& op, const std::string& name) {
  return name.empty() ? op + " without a name"
                      : fmt::format("{} '{}'", op, name);
}

// What the node's rule makes of it where `action` is asked for.
Decision attempt(Action action, const NodeContext& ctx, const Decision& blank) {
  Recipe recipe = ctx.recipe;
  recipe.min_bytes = 0;
  recipe.weights = action == Action::blocks4   ? WeightForm::int4
                   : action == Action::blocks8 ? WeightForm::int8
                                               : WeightForm::dynamic;
  recipe.conv =
      action == Action::conv_integer ? ConvMode::integer : ConvMode::storage;
  const NodeContext asked = {ctx.index, ctx.scope,    ctx.node,
                             recipe,    ctx.findings, ctx.rule};
  Decision d = blank;
  if (action == Action::storage && ctx.rule.op != "Gather")
    decide_storage(asked, d);
  else
    ctx.rule.decide(asked, d);
  return d;
}

}  // namespace

Wishes::Wishes(const Recipe& recipe) {
  for (const Wish& w : recipe.wishes)
    if (!wishes_.emplace(Place{w.scope_index, w.index}, &w).second)
      throw Error(ErrorKind::usage,
                  fmt::format("the plan names node {} of graph {} twice; once "
                              "was expected.",
                              w.index, w.scope_index));
}

const Wish* Wishes::find(const Decision& node) {
  const Place place = {node.scope_index, node.index};
  const auto it = wishes_.find(place);
  if (it == wishes_.end()) return nullptr;
  const Wish& w = *it->second;
  if (w.op != node.op || w.node != node.node)
    throw Error(ErrorKind::usage,
                fmt::format("the plan has {} as node {} of graph {}, where the "
                            "model has {}; make the plan anew.",
                            node_text(w.op, w.node), w.index, w.scope_index,
                            node_text(node.op, node.node)));
  found_.insert(place);
  return &w;
}

void Wishes::require_all_found() const {
  for (const auto& [place, wish] : wishes_)
    if (!found_.contains(place) && wish->action != Action::keep)
      throw Error(
          ErrorKind::usage,
          fmt::format("the plan wants {} (node {} of graph {}) to become {}, "
                      "and the model has no such node that could be "
                      "quantized; leave it float.",
                      node_text(wish->op, wish->node), place.second,
                      place.first, action_name(wish->action)));
}

void decide_as(const Wish& wish, const NodeContext& ctx, Decision& d) {
  if (wish.action == Action::keep) {
    d.reason = "the plan leaves it float";
    return;
  }
  Decision got = attempt(wish.action, ctx, d);
  if (got.action == wish.action) {
    d = std::move(got);
    d.reason.clear();
    return;
  }
  std::vector<std::string> possible;
  for (const Action action : kActions)
    if (attempt(action, ctx, d).action == action)
      possible.emplace_back(action_name(action));
  possible.emplace_back(action_name(Action::keep));
  throw Error(
      ErrorKind::usage,
      fmt::format("the plan wants {} to become '{}', which it cannot{}{}; it "
                  "can become {}.",
                  node_text(d.op, d.node), action_name(wish.action),
                  got.reason.empty() ? "" : ": ", got.reason,
                  name_list(possible)));
}

}  // namespace octavo
