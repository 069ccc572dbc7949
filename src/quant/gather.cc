// Gather from a constant table, such as an embedding.
//
// Before   Y = Gather(E, ids)
// After    Y = Cast(Gather(Eq, ids)) * Gather(es, ids)
//          Eq int8, es one scale for each entry along the axis
// Only what is gathered is turned to float, never the table.
//
// Conditions
// 1. The table is a float constant of rank 2 or more, large enough, finite.
// 2. ids are not constant: the runtime would fold the node at load.
// 3. int8 with its scales is smaller than the table now.
// 4. The opset is 7 or more, where Mul broadcasts.
#include <fmt/format.h>

#include "quant/rewrite.h"
#include "quant/rules.h"

namespace octavo {
namespace {

// The axis, never negative; -1 where the node's own is out of range.
int gather_axis(const onnx::NodeProto& node, const Constant& c) {
  const auto rank = static_cast<int64_t>(c.shape.size());
  const int64_t axis = int_attribute(node, "axis", 0);
  if (axis < -rank || axis >= rank) return -1;
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// One scale an entry even where a weight gets one for all: the rows of a table
// have little to do with each other, and it costs nothing in speed.
WeightLayout gather_layout(int axis) {
  WeightLayout layout;
  layout.channel_axis = axis;
  return layout;
}

}  // namespace

void decide_gather(const NodeContext& ctx, Decision& d) {
  const auto c = ctx.constant(0);
  if (!c) {
    d.reason = reason_not_constant(ctx, 0);
    return;
  }
  d.reason = reason_to_keep(ctx, *c);
  if (!d.reason.empty()) return;
  const int axis = gather_axis(ctx.node, *c);
  if (axis < 0)
    d.reason = "its axis does not fit its table";
  else if (c->shape.size() < 2)
    d.reason = "its table is a vector: each entry would need a scale";
  else if (ctx.constant(1))
    d.reason = "its indices are constant: the runtime folds it at load";
  else if (ctx.index.opset() < 7)
    d.reason =
        fmt::format("opset {} cannot broadcast scales", ctx.index.opset());
  if (!d.reason.empty()) return;
  Decision quantized = d;
  add_weight(quantized, 0, *c, gather_layout(axis));
  if (quantized.bytes_after >= quantized.bytes_before) {
    d.reason = "int8 with a scale for each entry would not be smaller";
    return;
  }
  d = std::move(quantized);
  d.action = Action::gather;
}

void rewrite_gather(RewriteContext& ctx, const Target& t) {
  const auto c = *resolve_constant(ctx.index, &t.scope, t.node.input(0));
  const int axis = gather_axis(t.node, c);
  const WeightLayout layout = gather_layout(axis);
  Shape scale_shape(c.shape.size(), 1);
  scale_shape[static_cast<size_t>(axis)] = c.shape[static_cast<size_t>(axis)];
  const std::string& y = t.node.output(0);

  onnx::NodeProto rows = t.node, scales = t.node;
  const std::string q = ctx.edit.unique_name(y + "_quantized");
  const std::string s = ctx.edit.unique_name(y + "_scale");
  const std::string cast = ctx.edit.unique_name(q + "_cast");
  rows.set_input(0, ctx.values(c, layout));
  rows.set_output(0, q);
  scales.set_input(0, ctx.scales(c, layout, 1, scale_shape));
  scales.set_output(0, s);
  const std::string base = t.node.name().empty() ? y : t.node.name();
  rows.set_name(ctx.edit.unique_name(base + "_quant"));
  scales.set_name(ctx.edit.unique_name(base + "_quant_scale"));

  NodeList& nodes = ctx.edit.replace(t.scope, t.index);
  *nodes.Add() = std::move(rows);
  *nodes.Add() = std::move(scales);
  append_cast(nodes, q, cast, DType::float32, cast);
  const bool plain = c.type == DType::float32;
  const std::string product = plain ? y : ctx.edit.unique_name(y + "_float");
  append_node(nodes, "Mul", {cast, s}, {product},
              ctx.edit.unique_name(base + "_quant_mul"));
  if (!plain)
    append_cast(nodes, product, y, c.type,
                ctx.edit.unique_name(base + "_quant_cast"));
}

}  // namespace octavo
