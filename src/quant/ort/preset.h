// The preset `ort`: what ONNX Runtime's quantize_dynamic writes, with the same
// names, nodes and weights. That depends on the order of the nodes, and one
// node's fate on what others have left behind, so plan and rewrite are one walk
// here: to plan, it is made over a copy of the structure.
//
// It covers the main graph, as the peer's default does, and the peer's split of
// every plain Gemm into MatMul and Add. Where the peer's own result would be
// wrong or would not load, the walk ends with an Error(unsupported) that names
// the node and the fault.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "model/data.h"
#include "octavo/plan.h"
#include "quant/weight.h"

namespace octavo::ort {

// "ort" is the peer of versions 1.21 to 1.30, "ort-1.32" that of 1.32: it keeps
// a turned copy of a Gemm's weight under a name of its own, and takes ranges in
// float64.
inline bool is_preset(std::string_view name) {
  return name == "ort" || name == "ort-1.32";
}

struct Result {
  std::vector<Decision> decisions;  // by nodes of the original
  std::vector<std::shared_ptr<const Applied::Watch>> watches;
};

// Rewrites the model.
Result rewrite(ModelData& model, const Recipe& recipe);

// The plan of it; the model stays as it is.
Plan plan(const ModelData& model, const Recipe& recipe);

}  // namespace octavo::ort
