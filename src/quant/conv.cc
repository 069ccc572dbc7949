// Conv: stored as int8 by default (see storage.cc), or, on request, computed
// in integers.
//
// Before   Y = Conv(X, W, B)
// After    Xq, xs, xz = DynamicQuantizeLinear(X)
//          P = ConvInteger(Xq, Wq, xz, 128)   Wq uint8, the same values + 128
//          Y = Cast(P) * (xs * ws) + B'       ws [M,1,..], B' = B as [M,1,..]
// uint8 with a scalar zero point is the one form that every runtime loads; the
// scales may differ by channel all the same, since the zero point does not.
//
// Conditions of the integer form; where one fails, the weight is stored
// 1. The weight is a float32 constant of rank 3 or more.
// 2. The opset is 11 or more.
// 3. One output's products, at most 255 * 255 each, fit int32: 33025 of them.
#include <fmt/format.h>

#include "quant/rewrite.h"
#include "quant/rules.h"

namespace octavo {
namespace {

constexpr int64_t kMaxDepth = 33025;

WeightLayout conv_layout(const Recipe& recipe) {
  WeightLayout layout;
  layout.channel_axis = recipe.per_channel ? 0 : -1;
  layout.offset = true;
  return layout;
}

// [M, 1, 1, ..] over the spatial axes: broadcasts over [N, M, H, W].
Shape channel_shape(const Constant& c, int64_t channels) {
  Shape s(c.shape.size() - 1, 1);
  s[0] = channels;
  return s;
}

// com.microsoft FusedConv: with an activation, and a fourth input to be added.
bool is_fused(const onnx::NodeProto& node) { return !domain_of(node).empty(); }

std::string reason_for_storage(const NodeContext& ctx, const Constant& c) {
  if (c.type != DType::float32)
    return fmt::format("ConvInteger gives float32, and it computes in {}",
                       dtype_name(c.type));
  if (is_fused(ctx.node)) return "ConvInteger has no activation";
  if (c.shape.size() < 3) return "its weight has no spatial axis";
  if (std::string reason = reason_against_opset(ctx.index); !reason.empty())
    return reason;
  const int64_t depth =
      c.shape[0] == 0 ? 0 : element_count(c.shape) / c.shape[0];
  if (depth > kMaxDepth)
    return fmt::format("sums of {} products may exceed int32", depth);
  return "";
}

}  // namespace

void decide_conv(const NodeContext& ctx, Decision& d) {
  if (ctx.recipe.conv == ConvMode::keep) {
    d.reason = "--conv keep was asked for";
    return;
  }
  const auto c = ctx.constant(1);
  if (ctx.recipe.conv == ConvMode::storage || !c ||
      !reason_to_keep(ctx, *c).empty())
    return decide_storage(ctx, d);
  const std::string reason = reason_for_storage(ctx, *c);
  if (!reason.empty()) return decide_storage_instead(ctx, d, reason);
  add_weight(d, 1, *c, conv_layout(ctx.recipe));
  d.action = Action::conv_integer;
}

void rewrite_conv_integer(RewriteContext& ctx, const Target& t) {
  const auto c = *resolve_constant(ctx.index, &t.scope, t.node.input(1));
  const WeightLayout layout = conv_layout(ctx.recipe);
  const std::string& y = t.node.output(0);
  const std::string base = t.node.name().empty() ? y : t.node.name();
  const std::string bias = input_name(t.node, 2);

  NodeList& nodes = ctx.edit.replace(t.scope, t.index);
  const auto x = ctx.activation(t.scope, t.node.input(0), c.type, nodes);
  Tensor zero = make_tensor<uint8_t>(DType::uint8, {}, {128});
  const std::string zero_point = ctx.initializer(
      *c.source->scope, std::string(c.source->name) + "_zero_point", zero);
  onnx::NodeProto product = t.node;  // keeps pads, strides, group, ...
  const std::string p = ctx.edit.unique_name(y + "_output_quantized");
  product.set_op_type("ConvInteger");
  product.set_name(ctx.edit.unique_name(base + "_quant"));
  product.clear_input();
  for (const auto& name :
       {x.values, ctx.values(c, layout), x.zero_point, zero_point})
    product.add_input(name);
  product.set_output(0, p);
  *nodes.Add() = std::move(product);

  const Shape scale_shape =
      layout.channel_axis < 0 ? Shape{} : channel_shape(c, c.shape[0]);
  const std::string sum =
      bias.empty() ? y : ctx.edit.unique_name(y + "_product");
  append_rescale(ctx, base, p, x.scale, ctx.scales(c, layout, 1, scale_shape),
                 c.type, sum, nodes);
  if (!bias.empty()) {
    const Shape shape = channel_shape(c, -1);
    Tensor dims = make_tensor<int64_t>(
        DType::int64, {static_cast<int64_t>(shape.size())}, shape);
    const std::string to =
        ctx.initializer(t.scope, bias + "_reshape_shape", dims);
    const std::string shaped = ctx.edit.unique_name(bias + "_reshape_output");
    append_node(nodes, "Reshape", {bias, to}, {shaped}, shaped);
    append_node(nodes, "Add", {sum, shaped}, {y},
                ctx.edit.unique_name(base + "_bias_add"));
  }
}

}  // namespace octavo
