#include "quant/sharing.h"

#include <fmt/format.h>

#include <set>
#include <tuple>

#include "graph/constant.h"
#include "graph/leaves.h"

namespace octavo {
namespace {

using Place = std::tuple<const Scope*, int, int>;  // scope, node, input

constexpr int kMaxDepth = 64;

// A user that reads the value as float, in words; "" where all users are
// quantized. Users behind operators that only pass a value on count, too.
std::string float_user(const GraphIndex& index, const Definition& value,
                       const std::set<Place>& quantized, int left) {
  for (const auto& use : value.uses) {
    if (use.node < 0) return "the outputs of its graph";
    if (quantized.contains({use.scope, use.node, use.input})) continue;
    const auto& node = use.scope->node(use.node);
    if (!passes_value_on(node, use.input) || left == 0)
      return fmt::format("{} '{}'", node.op_type(), node.name());
    for (const auto& output : node.output()) {
      const Definition* made = index.find(use.scope, output);
      if (!made) continue;
      std::string user = float_user(index, *made, quantized, left - 1);
      if (!user.empty()) return user;
    }
  }
  return "";
}

bool saves_bytes_only(Action action) {
  return action == Action::storage || action == Action::gather;
}

}  // namespace

void judge_sharing(const GraphIndex& index, Plan& plan) {
  std::set<Place> quantized;
  for (const Decision& d : plan.decisions)
    if (d.action != Action::keep)
      for (const int input : d.inputs)
        quantized.insert(
            {index.scopes()[static_cast<size_t>(d.scope_index)].get(),
             static_cast<int>(d.index), input});
  for (Decision& d : plan.decisions) {
    if (d.action == Action::keep) continue;
    const Scope* scope =
        index.scopes()[static_cast<size_t>(d.scope_index)].get();
    for (const int input : d.inputs) {
      const auto c = resolve_constant(
          index, scope, scope->node(static_cast<int>(d.index)).input(input));
      if (!c) continue;  // cut from parts that serve nothing else
      const std::string user =
          float_user(index, *c->source, quantized, kMaxDepth);
      if (user.empty()) continue;
      if (saves_bytes_only(d.action)) {
        d.action = Action::keep;
        d.inputs.clear();
        d.bytes_after = d.bytes_before;
        d.reason = fmt::format(
            "its weight '{}' stays float for {}, so int8 would only add bytes",
            c->source->name, user);
        --plan.quantized;
        break;
      }
      const auto float_bytes = static_cast<int64_t>(payload_size(*c->tensor));
      d.bytes_after += float_bytes;
      d.reason = fmt::format("{}the {} bytes of '{}' also stay float, for {}",
                             d.reason.empty() ? "" : d.reason + "; ",
                             float_bytes, c->source->name, user);
    }
  }
}

}  // namespace octavo
