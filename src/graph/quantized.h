// What is quantized in a model already: operators that compute in integers or
// unpack integer weights, and the forms that Octavo itself writes.
#pragma once

#include <string_view>

#include "graph/index.h"

namespace octavo {

// The quantized form that a node is the heart of, in a reader's words:
// "MatMulInteger", "QLinearConv", "MatMulNBits", "QuantizeLinear" (QDQ),
// "int8 table" (a Gather from one), "int8 storage" (an integer weight that Cast
// and Mul turn to float). "" for all other nodes.
std::string_view quantized_form(const GraphIndex& index, const Scope& scope,
                                const onnx::NodeProto& node);

// True if the value is an integer constant turned to float, by
// DequantizeLinear or by Cast and Mul, perhaps reshaped or turned over since.
bool is_dequantized_constant(const GraphIndex& index, const Scope* scope,
                             std::string_view name);

}  // namespace octavo
