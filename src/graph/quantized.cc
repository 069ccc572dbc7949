#include "graph/quantized.h"

#include <algorithm>

#include "graph/constant.h"

namespace octavo {
namespace {

struct QuantizedOp {
  std::string_view domain, op;
};

// ONNX's own: its operator list. com.microsoft: ContribOperators.md of ONNX
// Runtime. DynamicQuantizeLinear says nothing of weights and is none.
constexpr QuantizedOp kOps[] = {
    {"", "ConvInteger"},
    {"", "MatMulInteger"},
    {"", "QLinearConv"},
    {"", "QLinearMatMul"},
    {"com.microsoft", "DynamicQuantizeLSTM"},
    {"com.microsoft", "DynamicQuantizeMatMul"},
    {"com.microsoft", "GatherBlockQuantized"},
    {"com.microsoft", "MatMulBnb4"},
    {"com.microsoft", "MatMulFpQ4"},
    {"com.microsoft", "MatMulInteger16"},
    {"com.microsoft", "MatMulIntegerToFloat"},
    {"com.microsoft", "MatMulNBits"},
    {"com.microsoft", "QAttention"},
    {"com.microsoft", "QEmbedLayerNormalization"},
    {"com.microsoft", "QGemm"},
    {"com.microsoft", "QLinearAdd"},
    {"com.microsoft", "QLinearConv"},
    {"com.microsoft", "QMoE"},
    {"com.microsoft", "QOrderedMatMul"},
};

constexpr int kMaxDepth = 8;  // nodes between an integer and its user

bool is_quantized_type(DType type) {
  switch (type) {
    case DType::int8:
    case DType::uint8:
    case DType::int4:
    case DType::uint4:
    case DType::int16:
    case DType::uint16:
      return true;
    default:
      return false;
  }
}

bool is_integer_constant(const GraphIndex& index, const Scope* scope,
                         std::string_view name, size_t least_rank) {
  const auto c = resolve_constant(index, scope, name);
  return c && is_quantized_type(c->type) && c->shape.size() >= least_rank;
}

// The node that makes a value; null where none does.
const onnx::NodeProto* maker_of(const GraphIndex& index, const Scope* scope,
                                std::string_view name, const Scope** in) {
  const Definition* d = index.find(scope, name);
  if (!d || d->kind != Definition::Kind::node) return nullptr;
  *in = d->scope;
  return &d->scope->node(d->index);
}

// Cast of an integer constant to float; a weight may be a vector.
bool is_cast_constant(const GraphIndex& index, const Scope* scope,
                      std::string_view name) {
  const Scope* in = nullptr;
  const auto* node = maker_of(index, scope, name, &in);
  return node && is_op(*node, "Cast") &&
         is_integer_constant(index, in, input_name(*node, 0), 1);
}

bool is_storage(const GraphIndex& index, const Scope& scope,
                const onnx::NodeProto& node) {
  return is_op(node, "Mul") &&
         is_cast_constant(index, &scope, input_name(node, 0)) &&
         resolve_constant(index, &scope, input_name(node, 1)).has_value();
}

}  // namespace

std::string_view quantized_form(const GraphIndex& index, const Scope& scope,
                                const onnx::NodeProto& node) {
  const auto* op = std::find_if(
      std::begin(kOps), std::end(kOps), [&](const QuantizedOp& known) {
        return known.op == node.op_type() && known.domain == domain_of(node);
      });
  if (op != std::end(kOps)) return op->op;
  // A pair of QDQ is counted by its first half, a weight's by its only one.
  const bool microsoft = node.domain() == "com.microsoft";
  if (is_op(node, "QuantizeLinear") ||
      (microsoft && node.op_type() == "QuantizeLinear"))
    return "QuantizeLinear";
  if ((is_op(node, "DequantizeLinear") ||
       (microsoft && node.op_type() == "DequantizeLinear")) &&
      resolve_constant(index, &scope, input_name(node, 0)))
    return "DequantizeLinear";
  if (is_op(node, "Gather") &&
      is_integer_constant(index, &scope, input_name(node, 0), 2))
    return "int8 table";
  if (is_storage(index, scope, node)) return "int8 storage";
  return "";
}

bool is_dequantized_constant(const GraphIndex& index, const Scope* scope,
                             std::string_view name) {
  for (int i = 0; i < kMaxDepth; ++i) {
    const Scope* in = nullptr;
    const auto* node = maker_of(index, scope, name, &in);
    if (!node) return false;
    if (is_storage(index, *in, *node)) return true;
    if (node->op_type() == "DequantizeLinear") {
      // Of a constant, or of one that is quantized while running (QAT).
      if (resolve_constant(index, in, input_name(*node, 0))) return true;
      const Scope* below = nullptr;
      const auto* q = maker_of(index, in, input_name(*node, 0), &below);
      return q && q->op_type() == "QuantizeLinear" &&
             resolve_constant(index, below, input_name(*q, 0)).has_value();
    }
    const bool passes = is_op(*node, "Transpose") || is_op(*node, "Reshape") ||
                        is_op(*node, "Cast") || is_op(*node, "Identity") ||
                        is_op(*node, "Squeeze") || is_op(*node, "Unsqueeze");
    if (!passes) return false;
    scope = in;
    name = input_name(*node, 0);
  }
  return false;
}

}  // namespace octavo
