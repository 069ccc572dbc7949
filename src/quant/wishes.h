// Nodes whose fate a person has written into a plan: looked up while the plan
// is made, and held to the rules like all others.
#pragma once

#include <map>
#include <set>

#include "quant/rules.h"

namespace octavo {

class Wishes {
 public:
  explicit Wishes(const Recipe& recipe);

  // The wish for a node, or null. Throws Error(usage) where another node stands
  // there than the wish was made for.
  const Wish* find(const Decision& node);
  // Throws Error(usage) for a wish that no node of the model has had.
  void require_all_found() const;

 private:
  using Place = std::pair<int64_t, int64_t>;  // scope, node
  std::map<Place, const Wish*> wishes_;
  std::set<Place> found_;
};

// Decides as wished. Throws Error(usage), with what the node can become, where
// its rule does not allow that.
void decide_as(const Wish& wish, const NodeContext& ctx, Decision& decision);

}  // namespace octavo
