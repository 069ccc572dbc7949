// The facts about operators in one table: which inputs are weights, along
// which axis their channels run, and which function decides their fate.
// Everything that Octavo can quantize is a row here.
#pragma once

#include <string_view>
#include <vector>

#include "graph/constant.h"
#include "octavo/plan.h"
#include "quant/weight.h"

namespace octavo {

struct OpRule;

// What a rule may look at.
struct NodeContext {
  const GraphIndex& index;
  const Scope& scope;
  const onnx::NodeProto& node;
  const Recipe& recipe;
  const Findings& findings;
  const OpRule& rule;

  std::optional<Constant> constant(int input) const {
    return resolve_constant(index, &scope, input_name(node, input));
  }
};

struct OpRule {
  std::string_view op;
  std::string_view domain;
  int required;              // inputs that every such node must have
  std::vector<int> weights;  // inputs that may hold weights
  int channel_axis;          // of a stored weight, in the weight's shape
  int batch_axes;            // leading axes with scales of their own
  // Fills in action, inputs, weights, bytes and reason.
  void (*decide)(const NodeContext&, Decision&);
};

// The rule for a node, or null.
const OpRule* find_rule(const onnx::NodeProto& node);

// What every such reason holds.
inline constexpr const char* kTooOld = "has no DynamicQuantizeLinear";
// Why the opset is too old for integer products; "" where it is not.
std::string reason_against_opset(const GraphIndex& index);

// Deciding functions; each stands beside its rewrite.
void decide_matmul(const NodeContext&, Decision&);
void decide_gemm(const NodeContext&, Decision&);
void decide_lstm(const NodeContext&, Decision&);
void decide_gather(const NodeContext&, Decision&);
void decide_conv(const NodeContext&, Decision&);
void decide_attention(const NodeContext&, Decision&);
// For a product whose weight of `layout` is its right side (or turned over).
void decide_blocks(const NodeContext&, Decision&, int input, const Constant&,
                   const WeightLayout&);
void decide_storage(const NodeContext&, Decision&);
// The same where a rule's first choice is impossible, and why it is.
void decide_storage_instead(const NodeContext&, Decision&,
                            const std::string& reason);

// Why a product of com.microsoft cannot be written otherwise, or "".
std::string reason_against_product(const NodeContext&, int input);
// Why the recipe wants nothing computed in integers; "" where it does.
std::string reason_against_integers(const Recipe& recipe);
// What each rule asks first of a weight: a reason to leave it float, or "".
std::string reason_to_keep(const NodeContext&, const Constant&);
// The reason where an input is no constant.
std::string reason_not_constant(const NodeContext&, int input);

// Notes one weight of a decision: its bytes before and after.
void add_weight(Decision&, int input, const Constant&, const WeightLayout&);

}  // namespace octavo
