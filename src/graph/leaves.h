// Weights that a model cuts out of constants while running (exporters reorder
// the gates of an LSTM so): the constants that Slice, Concat, Split and the
// operators that only reshape make them of.
#pragma once

#include "graph/constant.h"

namespace octavo {

// The float constants behind `name`, each once; empty where any part of it is
// computed otherwise, or where it is no such composition at all.
std::vector<Constant> constant_leaves(const GraphIndex& index,
                                      const Scope* scope,
                                      std::string_view name);

// True if all that is ever made of the constant are weights: inputs W and R of
// recurrent operators, and those of Conv, MatMul and Gemm.
bool serves_only_weights(const GraphIndex& index, const Constant& leaf);

// True if the node only passes on, reshapes, casts, cuts or joins the value at
// that input.
bool passes_value_on(const onnx::NodeProto& node, int input);

}  // namespace octavo
