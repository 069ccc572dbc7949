#include "quant/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/quantized.h"

namespace octavo {
namespace {

constexpr std::string_view kMs = "com.microsoft";

// clang-format off
//   operator         domain inputs weights channel batch decide
const OpRule kRules[] = {
    {"MatMul",        "",    2,     {1, 0}, -1,     0,    decide_matmul},
    {"Gemm",          "",    2,     {1, 0}, -1,     0,    decide_gemm},
    {"LSTM",          "",    3,     {1, 2}, 1,      1,    decide_lstm},
    {"GRU",           "",    3,     {1, 2}, 1,      1,    decide_storage},
    {"RNN",           "",    3,     {1, 2}, 1,      1,    decide_storage},
    {"Gather",        "",    2,     {0},    0,      0,    decide_gather},
    {"Conv",          "",    2,     {1},    0,      0,    decide_conv},
    {"ConvTranspose", "",    2,     {1},    1,      0,    decide_storage},
    // What ONNX Runtime and its tools make of these when they optimize a model.
    {"FusedMatMul",   kMs,   2,     {1, 0}, -1,     0,    decide_matmul},
    {"TransposeMatMul", kMs, 2,     {1, 0}, -1,     0,    decide_matmul},
    {"FusedGemm",     kMs,   2,     {1, 0}, -1,     0,    decide_gemm},
    {"FusedConv",     kMs,   2,     {1},    0,      0,    decide_conv},
    {"Attention",     kMs,   2,     {1},    1,      0,    decide_attention},
    {"EmbedLayerNormalization",
                      kMs,   1,     {2, 3, 4}, 0,   0,    decide_storage},
};
// clang-format on

}  // namespace

const OpRule* find_rule(const onnx::NodeProto& node) {
  for (const OpRule& rule : kRules)
    if (rule.op == node.op_type() && rule.domain == domain_of(node))
      return &rule;
  return nullptr;
}

std::string reason_to_keep(const NodeContext& ctx, const Constant& c) {
  const auto bytes = static_cast<int64_t>(payload_size(*c.tensor));
  if (!is_float(c.type))
    return fmt::format(
        "its weight '{}' is {}, not float16, bfloat16, float32 or float64",
        c.source->name, dtype_name(c.type));
  if (bytes < ctx.recipe.min_bytes)
    return fmt::format("its weights have {} bytes, below --min-bytes {}", bytes,
                       ctx.recipe.min_bytes);
  if (bytes == 0) return "its weight is empty";
  const auto& bad = ctx.findings.non_finite;
  if (std::find(bad.begin(), bad.end(), c.source->name) != bad.end())
    return fmt::format(
        "its weight '{}' holds NaN{}, which int8 cannot", c.source->name,
        c.stored_type() == DType::float64 ? ", Inf or values beyond float32"
                                          : " or Inf");
  return "";
}

std::string reason_not_constant(const NodeContext& ctx, int input) {
  const auto& name = input_name(ctx.node, input);
  const Definition* d = ctx.index.find(&ctx.scope, name);
  if (name.empty()) return "it has no weight input";
  if (!d)
    return fmt::format("its weight '{}' comes from outside of the model", name);
  switch (d->kind) {
    case Definition::Kind::input:
      return fmt::format("its weight '{}' is fed while running", name);
    case Definition::Kind::overridable:
      return fmt::format(
          "its weight '{}' is also an input of the model, which a caller may "
          "replace; --assume-constant says that nobody does",
          name);
    case Definition::Kind::sparse:
      return fmt::format("its weight '{}' is sparse", name);
    default:
      break;
  }
  if (is_dequantized_constant(ctx.index, &ctx.scope, name))
    return fmt::format("its weight '{}' is quantized already", name);
  const auto& maker = d->scope->node(d->index);
  return fmt::format("its weight '{}' is computed by {}", name,
                     maker.op_type());
}

std::string reason_against_opset(const GraphIndex& index) {
  if (index.opset() >= 11) return "";
  return fmt::format(
      "opset {} has no DynamicQuantizeLinear, which came with 11",
      index.opset());
}

std::string reason_against_integers(const Recipe& recipe) {
  if (recipe.weights == WeightForm::dynamic) return "";
  return fmt::format("--weights {} was asked for",
                     weight_form_name(recipe.weights));
}

void add_weight(Decision& decision, int input, const Constant& c,
                const WeightLayout& layout) {
  decision.inputs.push_back(input);
  decision.weights.emplace_back(c.source->name);
  decision.bytes_before += static_cast<int64_t>(payload_size(*c.tensor));
  decision.bytes_after += element_count(c.shape) + 4 * scale_count(c, layout);
}

}  // namespace octavo
