#include "graph/leaves.h"

#include <algorithm>

namespace octavo {
namespace {

constexpr int kMaxDepth = 32;
constexpr size_t kMaxLeaves = 64;

// Operators whose first inputs are the data; the others are axes and the like.
bool composes(const onnx::NodeProto& n) {
  if (!domain_of(n).empty()) return false;
  for (const char* op : {"Slice", "Concat", "Split", "Identity", "Transpose",
                         "Reshape", "Squeeze", "Unsqueeze", "Flatten"})
    if (n.op_type() == op) return true;
  return false;
}

int data_inputs(const onnx::NodeProto& n) {
  return n.op_type() == "Concat" ? n.input_size() : std::min(1, n.input_size());
}

bool collect(const GraphIndex& index, const Scope* scope, std::string_view name,
             int left, std::vector<Constant>& out) {
  const Definition* d = index.find(scope, name);
  if (!d || left == 0 || out.size() > kMaxLeaves) return false;
  if (index.tensor(*d)) {
    const bool known =
        std::any_of(out.begin(), out.end(),
                    [&](const Constant& c) { return c.source == d; });
    if (known) return true;
    auto c = resolve_constant(index, scope, name);
    if (!c || !is_float(c->type)) return false;
    out.push_back(std::move(*c));
    return true;
  }
  if (d->kind != Definition::Kind::node) return false;
  const auto& node = d->scope->node(d->index);
  if (!composes(node)) return false;
  for (int i = 0; i < data_inputs(node); ++i)
    if (!collect(index, d->scope, node.input(i), left - 1, out)) return false;
  return data_inputs(node) > 0;
}

bool is_weight_input(const onnx::NodeProto& n, int input) {
  if (!domain_of(n).empty()) return false;
  const std::string& op = n.op_type();
  if (op == "LSTM" || op == "GRU" || op == "RNN")
    return input == 1 || input == 2;
  return (op == "Conv" || op == "ConvTranspose" || op == "MatMul" ||
          op == "Gemm") &&
         input == 1;
}

bool only_weights(const GraphIndex& index, const Definition& d, int left) {
  if (left == 0) return false;
  return std::all_of(d.uses.begin(), d.uses.end(), [&](const auto& use) {
    if (use.node < 0) return false;
    const auto& node = use.scope->node(use.node);
    if (is_weight_input(node, use.input)) return true;
    if (!composes(node) || use.input >= data_inputs(node)) return false;
    return std::all_of(node.output().begin(), node.output().end(),
                       [&](const auto& output) {
                         const Definition* made = index.find(use.scope, output);
                         return !made || only_weights(index, *made, left - 1);
                       });
  });
}

}  // namespace

bool passes_value_on(const onnx::NodeProto& node, int input) {
  return is_op(node, "Cast") || (composes(node) && input < data_inputs(node));
}

std::vector<Constant> constant_leaves(const GraphIndex& index,
                                      const Scope* scope,
                                      std::string_view name) {
  std::vector<Constant> out;
  if (!collect(index, scope, name, kMaxDepth, out)) out.clear();
  return out;
}

bool serves_only_weights(const GraphIndex& index, const Constant& leaf) {
  return only_weights(index, *leaf.source, kMaxDepth);
}

}  // namespace octavo
