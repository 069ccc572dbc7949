// MatMul and Gemm with one constant side, as integer products.
//
// Before   Y = MatMul(X, W)                 Y = Gemm(X, W, C)
// After    Xq, xs, xz = DynamicQuantizeLinear(X)
//          P = MatMulInteger(Xq, Wq, xz)    int8 weights, no zero point
//          Y = Cast(P) * (xs * ws)          ws: one scale a column, times alpha
//          Y = ... + beta * C               Gemm only, where C is there
//          Y = activation(...)              FusedGemm only
// ONNX Runtime fuses these five nodes, with the Add of a vector, into one
// DynamicQuantizeMatMul. A constant left side goes through the transposed
// product: A X = (X' A')'. Of com.microsoft, FusedMatMul (once named
// TransposeMatMul) is a MatMul with transA, transB and alpha, FusedGemm a Gemm
// with an activation.
//
// Conditions
// 1. The weight is a constant, float32 or float16, large enough, and finite.
// 2. The opset is 11 or more (DynamicQuantizeLinear); else int8 storage.
// 3. The sums fit int32, judged from the weights where K > 66311 (depth.h);
//    else int8 storage.
// 4. A constant left side of MatMul has rank 2, and the rank of the other side
//    is declared; and what it gives is no output that others read, too; else
//    int8 storage.
// 5. The other side is not constant too: the runtime folds such a node.
// 6. The weight is no vector: the runtime takes a vector that is added to such
//    a product for a bias of its columns, of which it has one; else storage.
// 7. FusedMatMul has its weight on the right, turns no batches over, and where
//    it turns its left side over, the rank of that is declared; FusedGemm has
//    an activation without parameters; else int8 storage.
#include <fmt/format.h>

#include "graph/quantized.h"
#include "graph/types.h"
#include "quant/depth.h"
#include "quant/rewrite.h"
#include "quant/rules.h"

namespace octavo {
namespace {

bool has_type(const Constant& c) {
  return c.type == DType::float32 || c.type == DType::float16;
}

// A matrix [K, N] by its columns; a vector [K] by one scale; [.., K, N] by
// columns of each matrix.
WeightLayout product_layout(const Constant& c, bool swap,
                            const Recipe& recipe) {
  WeightLayout layout;
  const int rank = static_cast<int>(c.shape.size());
  layout.swap = swap;
  layout.limit = weight_limit(recipe);
  if (recipe.per_channel && rank >= 2) {
    layout.channel_axis = swap ? rank - 2 : rank - 1;
    layout.batch_axes = rank - 2;
  }
  return layout;
}

// Scales of an integer product: [N], or [.., 1, N], or [].
Shape product_scale_shape(const Constant& c, const WeightLayout& layout) {
  if (layout.channel_axis < 0) return {};
  Shape s = quantized_shape(c, layout);
  if (s.size() == 2) return {s[1]};
  s[s.size() - 2] = 1;
  return s;
}

bool is_fused(const onnx::NodeProto& node) { return !domain_of(node).empty(); }

// True if FusedMatMul turns over that side, "transA" or "transB". An operator
// of ONNX's own has no such attribute.
bool turns(const onnx::NodeProto& node, const char* side) {
  return is_fused(node) && int_attribute(node, side, 0) != 0;
}

std::string activation_of(const onnx::NodeProto& node) {
  const auto* a = is_fused(node) ? find_attribute(node, "activation") : nullptr;
  return a ? a->s() : "";
}

struct Side {
  int input = 1;
  Constant weight;
};

// A product of two activations, as in attention.
bool both_computed(const NodeContext& ctx) {
  for (const int input : {0, 1}) {
    const auto& name = ctx.node.input(input);
    const Definition* d = ctx.index.find(&ctx.scope, name);
    if (!d || d->kind != Definition::Kind::node ||
        is_dequantized_constant(ctx.index, &ctx.scope, name))
      return false;
  }
  return true;
}

// The constant side that holds the weights, or a reason in `d`.
std::optional<Side> weight_side(const NodeContext& ctx, Decision& d) {
  auto right = ctx.constant(1), left = ctx.constant(0);
  if (right && left) {
    d.reason = "both of its inputs are constant: the runtime folds it at load";
    return {};
  }
  if (!right && !left) {
    d.reason = both_computed(ctx) ? "both of its inputs are computed"
                                  : reason_not_constant(ctx, 1);
    return {};
  }
  Side side = right ? Side{1, std::move(*right)} : Side{0, std::move(*left)};
  d.reason = side.weight.shape.empty() ? "its weight is a scalar"
                                       : reason_to_keep(ctx, side.weight);
  if (!d.reason.empty()) return {};
  return side;
}

std::string reason_for_storage(const NodeContext& ctx, const Constant& c) {
  if (!has_type(c))
    return fmt::format("integer products give float32, and it computes in {}",
                       dtype_name(c.type));
  if (c.shape.size() == 1)
    return "ONNX Runtime fuses a product with a vector and what is added to it "
           "wrongly";
  return reason_against_opset(ctx.index);
}

std::string reason_against_fused_matmul(const NodeContext& ctx, bool left) {
  if (!is_fused(ctx.node)) return "";
  if (left) return "its constant side is the left one";
  for (const char* batch : {"transBatchA", "transBatchB"})
    if (turns(ctx.node, batch)) return "it turns batches over";
  if (turns(ctx.node, "transA") &&
      declared_rank(ctx.index, &ctx.scope, ctx.node.input(0)).value_or(0) < 2)
    return "the rank of its left side is not declared";
  return "";
}

// The activations that FusedGemm takes, as operators that need no attributes.
std::string reason_against_activation(const onnx::NodeProto& node) {
  const std::string activation = activation_of(node);
  for (const char* plain :
       {"", "Relu", "Sigmoid", "Tanh", "Softplus", "Softsign"})
    if (activation == plain) return "";
  return fmt::format("its activation is '{}'", activation);
}

}  // namespace

std::string reason_against_product(const NodeContext& ctx, int input) {
  std::string reason;
  if (ctx.rule.decide == decide_matmul)
    reason = reason_against_fused_matmul(ctx, input == 0);
  return reason.empty() ? reason_against_activation(ctx.node) : reason;
}

namespace {

// A constant left side ends with a Transpose. Where its value is an output of
// the graph and others read it, too, ONNX Runtime 1.30 fuses the Transpose into
// these and loses the output.
std::string reason_against_transpose(const NodeContext& ctx) {
  const Definition* y = ctx.index.find(&ctx.scope, ctx.node.output(0));
  if (!y || y->uses.size() < 2) return "";
  for (const auto& use : y->uses)
    if (use.node < 0)
      return "its value is an output of the graph that others read, too, and "
             "ONNX Runtime may lose such an output behind a Transpose";
  return "";
}

// Appends Wq's product with `input` (already in the right order): `output`.
void append_product(RewriteContext& ctx, const Target& t,
                    const std::string& input, const Constant& c,
                    const WeightLayout& layout, float factor,
                    const std::string& output, NodeList& nodes) {
  if (is_blocks(t.decision.action))
    return append_block_product(ctx, t, input, c, layout, factor, output,
                                nodes);
  const auto x = ctx.activation(t.scope, input, c.type, nodes);
  const std::string base =
      t.node.name().empty() ? t.node.output(0) : t.node.name();
  const std::string product =
      ctx.edit.unique_name(output + "_output_quantized");
  append_node(nodes, "MatMulInteger",
              {x.values, ctx.factors(c, layout), x.zero_point}, {product},
              ctx.edit.unique_name(base + "_quant"));
  append_rescale(ctx, base, product, x.scale,
                 ctx.scales(c, layout, factor, product_scale_shape(c, layout)),
                 c.type, output, nodes);
}

// Turns a value over in front of the product.
std::string append_turned(RewriteContext& ctx, const std::string& value,
                          size_t rank, NodeList& nodes) {
  const std::string out = ctx.edit.unique_name(value + "_transposed");
  append_transpose(nodes, value, out, swap_last_two(rank), out);
  return out;
}

}  // namespace

void decide_matmul(const NodeContext& ctx, Decision& d) {
  const auto side = weight_side(ctx, d);
  if (!side) return;
  const Constant& c = side->weight;
  const bool left = side->input == 0;
  const WeightLayout layout = product_layout(
      c, (left || turns(ctx.node, "transB")) && c.shape.size() > 1, ctx.recipe);
  if (ctx.recipe.weights != WeightForm::dynamic)
    return decide_blocks(ctx, d, side->input, c, layout);
  std::string reason = reason_for_storage(ctx, c);
  if (reason.empty()) reason = reason_against_fused_matmul(ctx, left);
  if (reason.empty() && left) {
    if (c.shape.size() != 2)
      reason = "its constant left side is no matrix";
    else if (!declared_rank(ctx.index, &ctx.scope, ctx.node.input(1)))
      reason = "the rank of its right side is not declared";
  }
  if (reason.empty() && left) reason = reason_against_transpose(ctx);
  if (reason.empty()) reason = reason_against_depth(ctx, c, layout);
  if (!reason.empty()) return decide_storage_instead(ctx, d, reason);
  add_weight(d, side->input, c, layout);
  d.action = Action::integer;
}

void rewrite_matmul(RewriteContext& ctx, const Target& t) {
  const int input = t.decision.inputs.at(0);
  const auto c = *resolve_constant(ctx.index, &t.scope, t.node.input(input));
  const std::string& y = t.node.output(0);
  NodeList& nodes = ctx.edit.replace(t.scope, t.index);
  if (input == 1) {
    std::string x = t.node.input(0);
    if (turns(t.node, "transA"))
      x = append_turned(
          ctx, x, static_cast<size_t>(*declared_rank(ctx.index, &t.scope, x)),
          nodes);
    const float alpha =
        is_fused(t.node) ? float_attribute(t.node, "alpha", 1) : 1;
    append_product(ctx, t, x, c,
                   product_layout(c, turns(t.node, "transB"), ctx.recipe),
                   alpha, y, nodes);
  } else {
    const std::string& x = t.node.input(1);
    const auto rank =
        static_cast<size_t>(*declared_rank(ctx.index, &t.scope, x));
    const WeightLayout layout = product_layout(c, true, ctx.recipe);
    if (rank < 2) {  // A x = x A'
      append_product(ctx, t, x, c, layout, 1, y, nodes);
    } else {
      const std::string turned = append_turned(ctx, x, rank, nodes);
      const std::string product = ctx.edit.unique_name(y + "_transposed");
      append_product(ctx, t, turned, c, layout, 1, product, nodes);
      append_transpose(nodes, product, y, swap_last_two(rank),
                       ctx.edit.unique_name(y + "_transpose"));
    }
  }
}

void decide_gemm(const NodeContext& ctx, Decision& d) {
  const auto side = weight_side(ctx, d);
  if (!side) return;
  const Constant& c = side->weight;
  if (c.shape.size() != 2) {
    d.reason = "its weight is no matrix, as Gemm demands";
    return;
  }
  const bool left = side->input == 0;
  const bool transposed =
      int_attribute(ctx.node, left ? "transA" : "transB", 0) != 0;
  const WeightLayout layout = product_layout(c, transposed != left, ctx.recipe);
  if (ctx.recipe.weights != WeightForm::dynamic)
    return decide_blocks(ctx, d, side->input, c, layout);
  std::string reason = reason_for_storage(ctx, c);
  if (reason.empty() && left) reason = reason_against_transpose(ctx);
  if (reason.empty()) reason = reason_against_activation(ctx.node);
  if (reason.empty()) reason = reason_against_depth(ctx, c, layout);
  if (!reason.empty()) return decide_storage_instead(ctx, d, reason);
  add_weight(d, side->input, c, layout);
  d.action = Action::integer;
}

// Y = alpha A' B' + beta C. With W = B' the input is A'; with the constant on
// the left, Y = (B'' A'')' + beta C, where '' is the other way round.
void rewrite_gemm(RewriteContext& ctx, const Target& t) {
  const int input = t.decision.inputs.at(0);
  const bool left = input == 0;
  const auto c = *resolve_constant(ctx.index, &t.scope, t.node.input(input));
  const bool weight_turned =
      int_attribute(t.node, left ? "transA" : "transB", 0) != 0;
  const bool input_turned =
      int_attribute(t.node, left ? "transB" : "transA", 0) != 0;
  const float alpha = float_attribute(t.node, "alpha", 1);
  const float beta = float_attribute(t.node, "beta", 1);
  const std::string activation = activation_of(t.node);
  const std::string& out = t.node.output(0);
  const std::string y =
      activation.empty() ? out : ctx.edit.unique_name(out + "_linear");
  const std::string bias = input_name(t.node, 2);
  const bool has_bias = !bias.empty() && beta != 0;

  NodeList& nodes = ctx.edit.replace(t.scope, t.index);
  std::string x = t.node.input(1 - input);
  if (input_turned != left) x = append_turned(ctx, x, 2, nodes);
  const std::string sum = has_bias ? ctx.edit.unique_name(y + "_product") : y;
  const std::string product =
      left ? ctx.edit.unique_name(y + "_transposed") : sum;
  append_product(ctx, t, x, c,
                 product_layout(c, weight_turned != left, ctx.recipe), alpha,
                 product, nodes);
  if (left)
    append_transpose(nodes, product, sum, {1, 0},
                     ctx.edit.unique_name(sum + "_transpose"));
  if (has_bias) {
    std::string scaled = bias;
    if (beta != 1) {
      Tensor factor = make_tensor<float>(DType::float32, {}, {beta});
      std::string name = ctx.initializer(t.scope, bias + "_beta", factor);
      if (c.type != DType::float32) {
        const std::string cast = ctx.edit.unique_name(name + "_cast");
        append_cast(nodes, name, cast, c.type, cast);
        name = cast;
      }
      scaled = ctx.edit.unique_name(bias + "_scaled");
      append_node(nodes, "Mul", {bias, name}, {scaled}, scaled);
    }
    const std::string base = t.node.name().empty() ? y : t.node.name();
    append_node(nodes, "Add", {sum, scaled}, {y},
                ctx.edit.unique_name(base + "_bias_add"));
  }
  if (!activation.empty())
    append_node(nodes, activation, {y}, {out},
                ctx.edit.unique_name(out + "_act"));
}

}  // namespace octavo
