// apply_plan: what the plan says, node by node, as one edit.
#include "graph/opset11.h"
#include "octavo/error.h"
#include "quant/ort/preset.h"
#include "quant/rewrite.h"
#include "quant/rules.h"

namespace octavo {
namespace {

void rewrite(RewriteContext& ctx, const Target& target) {
  switch (target.decision.action) {
    case Action::keep:
      return;
    case Action::integer:
    case Action::blocks4:
    case Action::blocks8:
      return target.node.op_type() == "Gemm" ||
                     target.node.op_type() == "FusedGemm"
                 ? rewrite_gemm(ctx, target)
                 : rewrite_matmul(ctx, target);
    case Action::dynamic_lstm:
      return rewrite_lstm(ctx, target);
    case Action::gather:
      return rewrite_gather(ctx, target);
    case Action::storage:
      return rewrite_storage(ctx, target);
    case Action::conv_integer:
      return rewrite_conv_integer(ctx, target);
    case Action::attention:
      return rewrite_attention(ctx, target);
    case Action::embedding:
      return;  // of the preset `ort` only
  }
}

}  // namespace

Applied::Applied(std::vector<std::shared_ptr<const Watch>> watches)
    : watches_(std::move(watches)) {}
Applied::~Applied() = default;
Applied::Applied(Applied&&) noexcept = default;
Applied& Applied::operator=(Applied&&) noexcept = default;

std::vector<std::string> Applied::non_finite() const {
  std::vector<std::string> names;
  for (const auto& w : watches_)
    if (w->non_finite) names.push_back(w->weight);
  return names;
}

std::vector<Saturation> Applied::saturation() const {
  std::vector<Saturation> all;
  for (const auto& w : watches_)
    if (w->pairs > 0) all.push_back({w->weight, w->pairs, w->at_risk});
  return all;
}

Applied apply_plan(Model& model, const Plan& plan) {
  if (ort::is_preset(plan.recipe.name))
    return Applied(ort::rewrite(model.data(), plan.recipe).watches);
  if (plan.converted_from != 0) convert_to_opset11(model.data());
  GraphIndex index(model.data());
  RewriteContext ctx(index, plan.recipe);
  for (const Decision& d : plan.decisions) {
    if (d.action == Action::keep) continue;
    const auto s = static_cast<size_t>(d.scope_index);
    if (s >= index.scopes().size() || d.index < 0 ||
        d.index >= index.scopes()[s]->graph->node_size() ||
        index.scopes()[s]->node(static_cast<int>(d.index)).op_type() != d.op)
      throw Error(ErrorKind::usage, "the plan does not fit this model: node " +
                                        std::to_string(d.index) +
                                        " of its graph is no " + d.op +
                                        "; make the plan anew");
    Scope& scope = *index.scopes()[s];
    const int i = static_cast<int>(d.index);
    rewrite(ctx, {scope, i, scope.node(i), d});
  }
  ctx.edit.apply();
  return Applied(std::move(ctx.watches));
}

}  // namespace octavo
