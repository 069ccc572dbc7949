// com.microsoft Attention, which optimizers make of a transformer's products.
//
// Before   Y, P = Attention(X, W, B, mask, past)
// After    Xq, xs, xz = DynamicQuantizeLinear(X)
//          Y, P = QAttention(Xq, Wq, B, xs, ws, mask, xz, , past)
//          Wq [I, 3H] int8, ws one scale a column [3H], or one for all
// (ContribOperators.md of ONNX Runtime)
//
// Conditions; where one fails, the weights are stored as int8 instead
// 1. W [I, 3H] is a float32 constant.
// 2. No input that QAttention lacks: a bias of the attention, the length of
//    what is past; nor qkv_hidden_sizes, do_rotary, a shared buffer.
// 3. The opset is 11 or more, and sums fit int32, as for MatMul.
// 4. Operators of com.microsoft may be written.
#include <fmt/format.h>

#include "quant/depth.h"
#include "quant/rewrite.h"
#include "quant/rules.h"

namespace octavo {
namespace {

constexpr int kX = 0, kW = 1, kBias = 2, kMask = 3, kPast = 4;

WeightLayout attention_layout(const Recipe& recipe) {
  WeightLayout layout;
  layout.limit = weight_limit(recipe);
  layout.channel_axis = recipe.per_channel ? 1 : -1;
  return layout;
}

std::string reason_for_storage(const NodeContext& ctx, const Constant& w) {
  if (std::string no = reason_against_integers(ctx.recipe); !no.empty())
    return no;
  if (ctx.recipe.standard_ops) return "only ONNX's own operators are wanted";
  if (w.type != DType::float32) return "QAttention computes in float32 only";
  if (w.shape.size() != 2)
    return fmt::format("its weight {} is no matrix", shape_text(w.shape));
  for (int i = kPast + 1; i < ctx.node.input_size(); ++i)
    if (!ctx.node.input(i).empty())
      return fmt::format("QAttention has no place for its input {}", i);
  for (const auto& a : ctx.node.attribute())
    if (a.name() == "qkv_hidden_sizes" ||
        ((a.name() == "do_rotary" || a.name() == "past_present_share_buffer") &&
         a.i() != 0))
      return fmt::format("QAttention has no {}", a.name());
  if (std::string reason = reason_against_opset(ctx.index); !reason.empty())
    return reason;
  return reason_against_depth(ctx, w, attention_layout(ctx.recipe));
}

}  // namespace

void decide_attention(const NodeContext& ctx, Decision& d) {
  const auto w = ctx.constant(kW);
  if (!w || !reason_to_keep(ctx, *w).empty()) return decide_storage(ctx, d);
  const std::string reason = reason_for_storage(ctx, *w);
  if (!reason.empty()) return decide_storage_instead(ctx, d, reason);
  add_weight(d, kW, *w, attention_layout(ctx.recipe));
  d.action = Action::attention;
}

void rewrite_attention(RewriteContext& ctx, const Target& t) {
  const auto w = *resolve_constant(ctx.index, &t.scope, t.node.input(kW));
  const WeightLayout layout = attention_layout(ctx.recipe);
  const int64_t columns = w.shape[1];
  const std::string& y = t.node.output(0);
  const std::string base = t.node.name().empty() ? y : t.node.name();

  NodeList& nodes = ctx.edit.replace(t.scope, t.index);
  const auto x = ctx.activation(t.scope, t.node.input(kX), w.type, nodes);
  std::string bias = input_name(t.node, kBias);
  if (bias.empty())  // QAttention insists on one
    bias =
        ctx.initializer(*w.source->scope, std::string(w.source->name) + "_bias",
                        make_tensor(DType::float32, {columns}));
  onnx::NodeProto node = t.node;  // keeps attributes, outputs and doc string
  node.set_op_type("QAttention");
  node.set_name(ctx.edit.unique_name(base + "_quant"));
  node.clear_input();
  const Shape scales = layout.channel_axis < 0 ? Shape{} : Shape{columns};
  for (const auto& input :
       {x.values, ctx.factors(w, layout), bias, x.scale,
        ctx.scales(w, layout, 1, scales), input_name(t.node, kMask),
        x.zero_point, std::string(), input_name(t.node, kPast)})
    node.add_input(input);
  *nodes.Add() = std::move(node);
}

}  // namespace octavo
