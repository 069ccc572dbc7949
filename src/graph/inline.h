// Model-local functions: what keeps one from being inlined, and the inlining
// itself. A body's values and nodes get the call's name in front ("lin1/y") and
// names that nothing else has; attributes that it refers to are the call's, or
// their defaults; tensors of its Constant nodes become initializers of the
// model's graph, one for all calls. Its doors are `Functions` and
// `inline_calls`.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "model/data.h"

namespace octavo {

// What a model's functions call and hold. Of one moment: edits make it stale.
class Functions {
 public:
  explicit Functions(const onnx::ModelProto& model);

  // The function that a node calls; null for an operator.
  const onnx::FunctionProto* called_by(const onnx::NodeProto& node) const;
  // Why no call of it can be inlined, in words; "" where calls can.
  std::string obstacle(const onnx::FunctionProto& function) const;
  // True if `is` holds for a node of it, or of a function that it calls.
  bool holds(const onnx::FunctionProto& function,
             const std::function<bool(const onnx::NodeProto&)>& is) const;

 private:
  struct Facts {
    std::unordered_set<const onnx::FunctionProto*> reaches;  // by calls
    uint64_t cost = 0;  // of one call with all that it calls, in bytes
    bool twice = false;
  };
  void explore(const onnx::FunctionProto& function, int depth);

  const onnx::ModelProto& model_;
  std::unordered_map<std::string, const onnx::FunctionProto*> by_key_;
  std::unordered_map<const onnx::FunctionProto*, Facts> facts_;
  uint64_t cost_ = 0;  // of all calls in the model's graph
};

struct Inlined {
  size_t calls = 0;  // in the model's graphs, not counting calls in functions
  std::set<std::string> functions;  // "domain::name" of those
  // By the names of the nodes that were put in place of calls: which call, in
  // the order of a walk over the model's graphs, they come from.
  std::unordered_map<std::string, size_t> origin;
};

// Inlines the calls of functions for which `wanted` holds, and what these call
// in turn; of the calls in the model's own graphs only those for which
// `wanted_call` holds of their place in the walk and their node. Functions that
// are not called any more are removed.
Inlined inline_calls(
    ModelData& model,
    const std::function<bool(const onnx::FunctionProto&)>& wanted,
    const std::function<bool(size_t, const onnx::NodeProto&)>& wanted_call);

}  // namespace octavo
