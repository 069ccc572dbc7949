// LSTM as com.microsoft DynamicQuantizeLSTM.
//
// Before   Y, Y_h, Y_c = LSTM(X, W, R, B, seq, h0, c0, P)
// After    Y, Y_h, Y_c = DynamicQuantizeLSTM(X, Wq, Rq, B, seq, h0, c0, P,
//                                            ws, wz, rs, rz)
//          Wq [D, I, 4H], Rq [D, H, 4H]: the weights turned over, int8
//          ws, rs [D, 4H] (one scale a gate row) or [D]; wz, rz zeros
// (contrib_ops.md of ONNX Runtime, com.microsoft.DynamicQuantizeLSTM)
//
// Conditions; where one fails, the weights are stored as int8 instead
// 1. W [D, 4H, I] and R [D, 4H, H] are float32 constants that fit each other.
// 2. layout is 0: the contrib operator has no layout.
// 3. The opset is 7 or more: before, LSTM had other attributes.
// 4. Operators of com.microsoft are allowed.
// 5. The sums fit int32 (depth.h).
#include <fmt/format.h>

#include "quant/depth.h"
#include "quant/rewrite.h"
#include "quant/rules.h"

namespace octavo {
namespace {

constexpr int kW = 1, kR = 2;

// One scale a row of gates, or one for each direction.
WeightLayout lstm_layout(const Recipe& recipe) {
  WeightLayout layout;
  layout.swap = true;
  layout.limit = weight_limit(recipe);
  layout.channel_axis = recipe.per_channel ? 1 : 0;
  layout.batch_axes = recipe.per_channel ? 1 : 0;
  return layout;
}

std::string reason_for_storage(const NodeContext& ctx, const Constant& w,
                               const Constant& r) {
  if (std::string no = reason_against_integers(ctx.recipe); !no.empty())
    return no;
  if (ctx.recipe.standard_ops) return "only ONNX's own operators are wanted";
  if (w.type != DType::float32 || r.type != DType::float32)
    return "DynamicQuantizeLSTM computes in float32 only";
  if (int_attribute(ctx.node, "layout", 0) != 0)
    return "DynamicQuantizeLSTM has no layout 1";
  if (ctx.index.opset() < 7)
    return fmt::format("the LSTM of opset {} has other attributes",
                       ctx.index.opset());
  if (w.shape.size() != 3 || r.shape.size() != 3 || w.shape[0] != r.shape[0] ||
      w.shape[1] != r.shape[1] || r.shape[1] != 4 * r.shape[2])
    return fmt::format("its weights {} and {} do not fit each other",
                       shape_text(w.shape), shape_text(r.shape));
  const std::string deep =
      reason_against_depth(ctx, w, lstm_layout(ctx.recipe));
  return deep.empty() ? reason_against_depth(ctx, r, lstm_layout(ctx.recipe))
                      : deep;
}

// Zero points that the contrib operator insists on.
std::string zeros(RewriteContext& ctx, const Scope& home,
                  const std::string& wish, const Shape& shape) {
  return ctx.initializer(home, wish, make_tensor(DType::int8, shape));
}

}  // namespace

void decide_lstm(const NodeContext& ctx, Decision& d) {
  const auto w = ctx.constant(kW), r = ctx.constant(kR);
  std::string reason;
  if (!w || !r)
    reason = reason_not_constant(ctx, w ? kR : kW);
  else if (reason = reason_to_keep(ctx, *w); reason.empty())
    if (reason = reason_to_keep(ctx, *r); reason.empty())
      reason = reason_for_storage(ctx, *w, *r);
  if (reason.empty()) {
    add_weight(d, kW, *w, lstm_layout(ctx.recipe));
    add_weight(d, kR, *r, lstm_layout(ctx.recipe));
    d.action = Action::dynamic_lstm;
    return;
  }
  decide_storage_instead(ctx, d, reason);
}

void rewrite_lstm(RewriteContext& ctx, const Target& t) {
  const auto w = *resolve_constant(ctx.index, &t.scope, t.node.input(kW));
  const auto r = *resolve_constant(ctx.index, &t.scope, t.node.input(kR));
  onnx::NodeProto node = t.node;  // keeps attributes, outputs and doc string
  node.set_op_type("DynamicQuantizeLSTM");
  node.set_domain("com.microsoft");
  for (int i = node.attribute_size() - 1; i >= 0; --i)
    if (node.attribute(i).name() == "layout")
      node.mutable_attribute()->DeleteSubrange(i, 1);
  while (node.input_size() < 8) node.add_input("");
  std::vector<std::string> tail;
  for (const auto& [input, c] : {std::pair(kW, &w), std::pair(kR, &r)}) {
    const WeightLayout layout = lstm_layout(ctx.recipe);
    Shape shape = {c->shape[0]};
    if (layout.channel_axis == 1) shape.push_back(c->shape[1]);
    node.set_input(input, ctx.factors(*c, layout));
    tail.push_back(ctx.scales(*c, layout, 1, shape));
    tail.push_back(zeros(ctx, *c->source->scope,
                         std::string(c->source->name) + "_zero_point", shape));
  }
  for (const auto& name : tail) node.add_input(name);
  ctx.edit.import_domain("com.microsoft", 1);
  *ctx.edit.replace(t.scope, t.index).Add() = std::move(node);
}

}  // namespace octavo
