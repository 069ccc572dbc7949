// MatMul and Gemm with one constant matrix of 4- or 8-bit blocks: the weights
// alone are quantized, activations stay float.
//
// Before   Y = MatMul(X, W)                 Y = Gemm(X, W, C)
// After    Y = MatMulNBits(X, Wq, ws, wz)   com.microsoft; + beta * C, for Gemm
// or, of ONNX's own operators alone,
//          W' = DequantizeLinear(Wq, ws, wz)  with blocks along K
//          Y = MatMul(X, W')
//
// Conditions; where one fails, the weight is stored as int8
// 1. The weight is a matrix of float32 or float16, and the right side.
// 2. FusedMatMul, FusedGemm: as for integer products.
// 3. With standard operators, the opset is 21 or more.
// Float16 products are computed in float32 between two Casts, as every runtime
// can.
#include <fmt/format.h>

#include "quant/block_weight.h"
#include "quant/rewrite.h"
#include "quant/rules.h"

namespace octavo {
namespace {

constexpr int64_t kBlocksSince = 21;  // opset

bool by_output(const Constant& c, const WeightLayout& layout) {
  return c.transposed != layout.swap;
}

std::string reason_against_form(const NodeContext& ctx, int input,
                                const Constant& c) {
  if (ctx.recipe.weights == WeightForm::storage)
    return reason_against_integers(ctx.recipe);
  if (c.type != DType::float32 && c.type != DType::float16)
    return fmt::format(
        "products with blocks give float32, and it computes in "
        "{}",
        dtype_name(c.type));
  if (c.shape.size() != 2)
    return fmt::format("its weight {} is no matrix, as blocks demand",
                       shape_text(c.shape));
  if (input == 0)
    return "its constant side is the left one, and blocks are for the right "
           "one";
  if (ctx.recipe.standard_ops && ctx.index.opset() < kBlocksSince)
    return fmt::format(
        "opset {} has no DequantizeLinear with blocks, which came with {}",
        ctx.index.opset(), kBlocksSince);
  return "";
}

}  // namespace

bool is_blocks(Action action) {
  return action == Action::blocks4 || action == Action::blocks8;
}

void decide_blocks(const NodeContext& ctx, Decision& d, int input,
                   const Constant& c, const WeightLayout& layout) {
  std::string reason = reason_against_form(ctx, input, c);
  if (reason.empty()) reason = reason_against_product(ctx, input);
  if (!reason.empty()) return decide_storage_instead(ctx, d, reason);
  const bool four = ctx.recipe.weights == WeightForm::int4;
  const BlockFormat format = block_format(ctx.recipe, four ? 4 : 8);
  const Shape shape = quantized_shape(c, layout);
  d.inputs.push_back(input);
  d.weights.emplace_back(c.source->name);
  d.bytes_before += static_cast<int64_t>(payload_size(*c.tensor));
  d.bytes_after += block_bytes(format, shape[0], shape[1]);
  d.action = four ? Action::blocks4 : Action::blocks8;
}

RewriteContext::Blocks RewriteContext::blocks(const Constant& c, bool turned,
                                              const BlockFormat& f,
                                              float factor) {
  const Definition* reordered = c.reordered ? c.chain.front() : nullptr;
  edit.release(c);
  Blocks& b = blocks_[{c.source, reordered, turned, f, factor}];
  if (!b.values.empty()) return b;
  const auto w = std::make_shared<BlockWeight>(index.model(), c, turned, f);
  watches.push_back(w);
  const auto n = static_cast<int64_t>(w->outputs());
  const auto count = static_cast<int64_t>(w->blocks());
  const auto add = [&](const char* suffix, DType type, const Shape& shape,
                       const Blob& blob) {
    onnx::TensorProto t;
    t.set_name(edit.unique_name(std::string(c.source->name) + suffix));
    t.set_data_type(static_cast<int>(type));
    for (const int64_t d : shape) t.add_dims(d);
    t.set_blob(index.model().add_blob(blob));
    std::string name = t.name();
    edit.add_initializer(*c.source->scope, std::move(t));
    return name;
  };
  const bool four = f.bits == 4;
  const std::string kind = four ? "_int4" : "_int8";
  if (f.packed) {
    b.values =
        add((kind + "_blocks").c_str(), DType::uint8,
            {n, count, static_cast<int64_t>(w->block_bytes())}, w->values());
    b.scales = add("_scales", DType::float32, {n * count}, w->scales(factor));
    if (!f.symmetric) {
      const Blob zeros = w->zeros();
      b.zeros = add("_zero_points", DType::uint8,
                    {static_cast<int64_t>(zeros.size)}, zeros);
    }
    return b;
  }
  const DType type = f.symmetric ? (four ? DType::int4 : DType::int8)
                                 : (four ? DType::uint4 : DType::uint8);
  b.values = add((kind + "_blocks").c_str(), type,
                 {static_cast<int64_t>(w->depth()), n}, w->values());
  b.scales = add("_scales", DType::float32, {count, n}, w->scales(factor));
  if (!f.symmetric) b.zeros = add("_zero_points", type, {count, n}, w->zeros());
  return b;
}

void append_block_product(RewriteContext& ctx, const Target& t,
                          const std::string& input, const Constant& c,
                          const WeightLayout& layout, float factor,
                          const std::string& output, NodeList& nodes) {
  const BlockFormat format =
      block_format(ctx.recipe, t.decision.action == Action::blocks4 ? 4 : 8);
  const auto b = ctx.blocks(c, by_output(c, layout), format, factor);
  const std::string base =
      t.node.name().empty() ? t.node.output(0) : t.node.name();
  const bool plain = c.type == DType::float32;
  std::string x = input, y = output;
  if (!plain) {
    x = ctx.edit.unique_name(input + "_float");
    y = ctx.edit.unique_name(output + "_float");
    append_cast(nodes, input, x, DType::float32, x);
  }
  const std::string name = ctx.edit.unique_name(base + "_quant");
  onnx::NodeProto* node = nullptr;
  if (format.packed) {
    ctx.edit.import_domain("com.microsoft", 1);
    node =
        &append_node(nodes, "MatMulNBits", {x, b.values, b.scales}, {y}, name);
    node->set_domain("com.microsoft");
    const Shape shape = quantized_shape(c, layout);
    set_int(*node, "K", shape[0]);
    set_int(*node, "N", shape[1]);
    set_int(*node, "bits", format.bits);
    if (ctx.recipe.accuracy_level != 0)
      set_int(*node, "accuracy_level", ctx.recipe.accuracy_level);
  } else {
    const std::string w = ctx.edit.unique_name(b.values + "_dequantized");
    node =
        &append_node(nodes, "DequantizeLinear", {b.values, b.scales}, {w}, w);
    set_int(*node, "axis", 0);
    append_node(nodes, "MatMul", {x, w}, {y}, name);
  }
  if (!b.zeros.empty()) node->add_input(b.zeros);
  set_int(*node, "block_size", format.block);
  if (!plain)
    append_cast(nodes, y, output, c.type,
                ctx.edit.unique_name(base + "_quant_cast"));
}

}  // namespace octavo
