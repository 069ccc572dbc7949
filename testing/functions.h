// Puts nodes of a model into functions of the model, which then hold what could
// be quantized: calls within calls, names that collide, attributes that calls
// give or that are there by default.
#pragma once

#include <string>

#include "base/random.h"
#include "model/data.h"
#include "quant/rules.h"

namespace octavo::testing {

class FunctionWrapper {
 public:
  FunctionWrapper(onnx::ModelProto& model, uint64_t seed)
      : model_(model), random_(seed) {}

  int wrap() {
    auto* own = model_.add_opset_import();
    own->set_domain("local");
    own->set_version(1);
    model_.set_ir_version(8);
    for_each_graph(*model_.mutable_graph(), [&](onnx::GraphProto& g) {
      for (auto& node : *g.mutable_node())
        if (find_rule(node) && random_.below(4) > 0) {
          wrap(node);
          if (random_.below(3) == 0) wrap(node);  // a call within a call
        }
    });
    return count_;
  }

 private:
  // The node becomes a call of a new function that does what it did.
  void wrap(onnx::NodeProto& node) {
    auto& f = *model_.add_functions();
    f.set_domain("local");
    f.set_name("F" + std::to_string(count_++));
    *f.mutable_opset_import() = model_.opset_import();
    onnx::NodeProto& body = *f.add_node();
    body = node;
    // Names of the body may well be names of the graph.
    const std::string stem = random_.below(2) == 0 ? "x" : "";
    onnx::NodeProto call;
    call.set_op_type(f.name());
    call.set_domain("local");
    if (random_.below(2) == 0) call.set_name(node.name());
    for (auto& input : *body.mutable_input()) {
      call.add_input(input);
      input = input.empty() ? "" : stem + std::to_string(f.input_size());
      f.add_input(input.empty() ? "unused" + std::to_string(f.input_size())
                                : input);
    }
    for (auto& output : *body.mutable_output()) {
      call.add_output(output);
      if (output.empty()) output = "unwanted";
      output = stem + "out" + std::to_string(f.output_size());
      f.add_output(output);
    }
    for (auto& a : *body.mutable_attribute()) {
      if (random_.below(2) == 0) continue;
      const std::string name = "a_" + a.name();
      onnx::AttributeProto given = a;
      given.set_name(name);
      onnx::AttributeProto to;
      to.set_name(a.name());
      to.set_type(a.type());
      to.set_ref_attr_name(name);
      a = to;
      if (random_.below(2) == 0) {
        f.add_attribute(name);
        *call.add_attribute() = given;
      } else {
        *f.add_attribute_proto() = given;  // by default
      }
    }
    node = call;
  }

  onnx::ModelProto& model_;
  Random random_;
  int count_ = 0;
};

// Gives the number of functions. The model must be of IR version 4 or more.
inline int wrap_in_functions(onnx::ModelProto& model, uint64_t seed) {
  return FunctionWrapper(model, seed).wrap();
}

}  // namespace octavo::testing
