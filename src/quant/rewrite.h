// What a rewrite has at hand: the edit, and the int8 forms and quantized
// activations made so far, so that what is shared is stored and computed once.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "graph/edit.h"
#include "octavo/plan.h"
#include "quant/block_weight.h"
#include "quant/weight.h"

namespace octavo {

class RewriteContext {
 public:
  RewriteContext(GraphIndex& index, const Recipe& recipe)
      : index(index), recipe(recipe), edit(index) {}

  GraphIndex& index;
  const Recipe& recipe;
  GraphEdit edit;

  // An int8 weight's initializers, in the scope of its source.
  std::string values(const Constant&, const WeightLayout&);
  // The same, [.., K, N], as the right side of integer products.
  std::string factors(const Constant&, const WeightLayout&);
  // Its scales, each times `factor`, in the given shape.
  std::string scales(const Constant&, const WeightLayout&, float factor,
                     const Shape& shape);
  // The weight dequantized by Cast and Mul, which ONNX Runtime folds at load.
  std::string stored(const Constant&, const WeightLayout&);

  // Turns the constant itself into its dequantized int8 form, under its own
  // name, for all that use it.
  void store_in_place(const Constant&, const WeightLayout&);

  // A small initializer.
  std::string initializer(const Scope&, const std::string& wish,
                          const Tensor& value);

  // DynamicQuantizeLinear of a value; the nodes that are not there yet are put
  // to `nodes`.
  struct Activation {
    std::string values, scale, zero_point;
  };
  Activation activation(const Scope&, const std::string& value, DType type,
                        NodeList& nodes);

  // A matrix in blocks: initializers of its values, scales (each times
  // `factor`) and zero points, the last "" where they are symmetric.
  struct Blocks {
    std::string values, scales, zeros;
  };
  Blocks blocks(const Constant&, bool by_output, const BlockFormat&,
                float factor);

  std::vector<std::shared_ptr<const Applied::Watch>> watches;

 private:
  std::shared_ptr<QuantizedWeight> weight(const Constant&, const WeightLayout&);
  void append_dequantized(const Constant&, const WeightLayout&,
                          const std::string& name);

  std::map<WeightGroups, std::shared_ptr<QuantizedWeight>> weights_;
  // By order and shape of the output.
  std::map<std::tuple<WeightGroups, bool, Shape>, std::string> values_;
  std::map<std::tuple<WeightGroups, float, Shape>, std::string> scales_;
  std::map<std::tuple<WeightGroups, bool, Shape, DType>, std::string> stored_;
  std::map<std::tuple<const Definition*, const Definition*, bool, BlockFormat,
                      float>,
           Blocks>
      blocks_;
  std::set<const Definition*> in_place_;
  std::map<std::pair<const Scope*, std::string>, Activation> activations_;
};

// One node to be replaced.
struct Target {
  Scope& scope;
  int index;
  const onnx::NodeProto& node;
  const Decision& decision;
};

void rewrite_matmul(RewriteContext&, const Target&);
void rewrite_gemm(RewriteContext&, const Target&);
void rewrite_lstm(RewriteContext&, const Target&);
void rewrite_gather(RewriteContext&, const Target&);
void rewrite_conv_integer(RewriteContext&, const Target&);
void rewrite_attention(RewriteContext&, const Target&);
void rewrite_storage(RewriteContext&, const Target&);

// The product of `input` with a matrix in blocks: `output`.
bool is_blocks(Action action);
void append_block_product(RewriteContext&, const Target&,
                          const std::string& input, const Constant&,
                          const WeightLayout&, float factor,
                          const std::string& output, NodeList& nodes);

using Names = std::initializer_list<std::string_view>;

// Nodes in one line. `make_node("Neg", {x}, {y}, name)`.
onnx::NodeProto make_node(std::string_view op, const Names& inputs,
                          const Names& outputs, std::string_view name);
onnx::NodeProto make_cast(std::string_view in, std::string_view out, DType to,
                          std::string_view name);
// The same at the end of a list.
onnx::NodeProto& append_node(NodeList& nodes, std::string_view op,
                             const Names& inputs, const Names& outputs,
                             std::string_view name);
void append_cast(NodeList& nodes, std::string_view in, std::string_view out,
                 DType to, std::string_view name);
void append_transpose(NodeList& nodes, std::string_view in,
                      std::string_view out, const std::vector<int64_t>& perm,
                      std::string_view name);
// The permutation that swaps the last two of `rank` >= 2 dimensions.
std::vector<int64_t> swap_last_two(size_t rank);
void set_int(onnx::NodeProto& node, const std::string& name, int64_t value);
void set_ints(onnx::NodeProto& node, const std::string& name,
              const std::vector<int64_t>& values);

// The tail that all integer products share: int32 `product` -> Cast -> Mul by
// both scales -> `output`, of type `type`.
void append_rescale(RewriteContext&, const std::string& node_name,
                    const std::string& product, const std::string& input_scale,
                    const std::string& weight_scale, DType type,
                    const std::string& output, NodeList& nodes);

}  // namespace octavo
