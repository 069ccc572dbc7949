// Weights stored as int8 and turned back to float when the model is loaded.
//
// Before   Y = Op(X, W, ...)
// After    W' = Cast(Wq -> float32) * ws     folded by ONNX Runtime at load
//          Y = Op(X, W', ...)
// The operator computes in float as before; the file has a quarter of the
// bytes. (DequantizeLinear would not be folded, and runs at half the speed.)
//
// Conditions
// 1. The weight is a float constant of rank 2 or more, large enough, finite.
// 2. The opset is 7 or more, where Mul broadcasts.
// 3. int8 with its scales is smaller than what stands there now.
// A weight that is cut out of constants by Slice, Concat or Split is stored at
// those constants, if all they serve are such weights.
#include <fmt/format.h>

#include "graph/leaves.h"
#include "quant/rewrite.h"
#include "quant/rules.h"

namespace octavo {
namespace {

// True for MatMul, Gemm and their kin, either side of which may hold weights.
bool is_product(const OpRule& rule) { return rule.channel_axis < 0; }

// The outputs of a product are the columns of its right side and the rows of
// its left one; all but MatMul may turn them over.
bool has_outputs_in_rows(const onnx::NodeProto& node, int input) {
  const bool turned =
      node.op_type() != "MatMul" &&
      int_attribute(node, input == 0 ? "transA" : "transB", 0) != 0;
  return (input == 0) != turned;
}

WeightLayout storage_layout(const OpRule& rule, const onnx::NodeProto& node,
                            int input, const Constant& c,
                            const Recipe& recipe) {
  WeightLayout layout;
  const int rank = static_cast<int>(c.shape.size());
  if (!recipe.per_channel || rank < 2) return layout;
  layout.channel_axis = rule.channel_axis;
  layout.batch_axes = rule.batch_axes;
  if (is_product(rule)) {
    layout.channel_axis =
        has_outputs_in_rows(node, input) ? rank - 2 : rank - 1;
    layout.batch_axes = rank - 2;
  }
  if (layout.channel_axis >= rank) layout = {};
  return layout;
}

// A constant that is cut into weights further on: its first axis.
WeightLayout leaf_layout(const Recipe& recipe) {
  WeightLayout layout;
  if (recipe.per_channel) layout.channel_axis = 0;
  return layout;
}

std::string reason_against(const NodeContext& ctx, const Constant& c,
                           const WeightLayout& layout) {
  std::string reason = reason_to_keep(ctx, c);
  if (!reason.empty()) return reason;
  const auto before = static_cast<int64_t>(payload_size(*c.tensor));
  const int64_t after = element_count(c.shape) + 4 * scale_count(c, layout);
  if (after >= before)
    return fmt::format(
        "int8 and its scales would need {} bytes, and it has "
        "{} now",
        after, before);
  return "";
}

// The parts of a weight that Slice, Concat or Split make, or a reason.
std::vector<Constant> parts_of(const NodeContext& ctx, int input,
                               std::string& reason) {
  auto parts =
      constant_leaves(ctx.index, &ctx.scope, input_name(ctx.node, input));
  if (parts.empty()) reason = reason_not_constant(ctx, input);
  for (const Constant& c : parts) {
    reason = reason_against(ctx, c, leaf_layout(ctx.recipe));
    if (reason.empty() && c.shape.size() < 2) reason = "its parts are vectors";
    if (reason.empty() && !serves_only_weights(ctx.index, c))
      reason = fmt::format(
          "'{}', of which its weight is made, serves other "
          "operators too",
          c.source->name);
    if (!reason.empty()) return {};
  }
  return parts;
}

}  // namespace

void decide_storage(const NodeContext& ctx, Decision& d) {
  if (ctx.index.opset() < 7) {
    d.reason = fmt::format(
        "opset {} cannot broadcast a scale over a weight; "
        "convert the model to 7 or more",
        ctx.index.opset());
    return;
  }
  for (const int input : ctx.rule.weights) {
    if (input_name(ctx.node, input).empty()) continue;
    std::string reason;
    const auto c = ctx.constant(input);
    if (c) {
      const WeightLayout layout =
          storage_layout(ctx.rule, ctx.node, input, *c, ctx.recipe);
      reason = reason_against(ctx, *c, layout);
      if (reason.empty()) {
        add_weight(d, input, *c, layout);
        continue;
      }
    } else {
      const auto parts = parts_of(ctx, input, reason);
      for (const Constant& part : parts)
        add_weight(d, input, part, leaf_layout(ctx.recipe));
      if (!parts.empty()) continue;
    }
    // The constant side of a product is the weight.
    if (d.reason.empty() || (c && is_product(ctx.rule))) d.reason = reason;
  }
  if (d.inputs.empty()) {
    if (d.reason.empty()) d.reason = "it has no weight input";
  } else {
    d.action = Action::storage;
    if (is_product(ctx.rule))
      d.reason.clear();  // that its other side is no weight
    else if (!d.reason.empty())
      d.reason = "one of its weights stays float: " + d.reason;
  }
}

void decide_storage_instead(const NodeContext& ctx, Decision& d,
                            const std::string& reason) {
  decide_storage(ctx, d);
  if (d.action == Action::keep && d.reason != reason)
    d.reason = reason + "; " + d.reason;
  else if (d.reason.empty())
    d.reason = "stored as int8 only: " + reason;
}

void rewrite_storage(RewriteContext& ctx, const Target& t) {
  const OpRule& rule = *find_rule(t.node);
  onnx::NodeProto node = t.node;
  bool changed = false;
  for (const int input : t.decision.inputs) {
    const auto c = resolve_constant(ctx.index, &t.scope, t.node.input(input));
    if (c) {
      const WeightLayout layout =
          storage_layout(rule, t.node, input, *c, ctx.recipe);
      node.set_input(input, ctx.stored(*c, layout));
      changed = true;
      continue;
    }
    for (const Constant& part :
         constant_leaves(ctx.index, &t.scope, t.node.input(input)))
      ctx.store_in_place(part, leaf_layout(ctx.recipe));
  }
  if (changed) *ctx.edit.replace(t.scope, t.index).Add() = std::move(node);
}

}  // namespace octavo
