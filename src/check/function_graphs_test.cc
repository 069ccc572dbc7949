// Random graphs whose nodes are put into functions of the model: what comes out
// must be what comes out without functions, bit for bit, before and after
// quantizing. ONNX Runtime inlines the original's functions by itself.
#include <gtest/gtest.h>

#include "base/random.h"
#include "model/data.h"
#include "quant/rules.h"
#include "testing/both.h"
#include "testing/random_graph.h"

namespace octavo {
namespace {

class Wrapper {
 public:
  Wrapper(onnx::ModelProto& model, uint64_t seed)
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

std::vector<std::vector<std::byte>> answers(Bytes model, const Feed& feed) {
  std::vector<std::vector<std::byte>> out;
  for (const Value& v :
       testing::run_bytes(model, feed, Optimization::disabled)) {
    const Bytes bytes = v.tensor.bytes;
    out.emplace_back(bytes.begin(), bytes.end());
  }
  return out;
}

TEST(FunctionGraphs, GiveWhatTheyGiveWithoutFunctions) {
  OCTAVO_NEED_RUNTIME();
  int wrapped = 0, quantized = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    const auto graph = testing::random_graph(seed, testing::kMaxSteps,
                                             testing::newest_opset());
    onnx::ModelProto& model = graph.model->model();
    if (model.ir_version() < 4 || model.opset_import(0).version() < 11)
      continue;
    SCOPED_TRACE(::testing::Message() << "seed " << seed << "\n" << graph.text);
    model.set_ir_version(8);
    const std::string plain = graph.model->bytes();
    onnx::ModelProto with = model;
    wrapped += Wrapper(with, seed).wrap();
    const std::string bytes = with.SerializeAsString();
    try {
      answers(testing::as_bytes(plain), graph.feed);
    } catch (const Error&) {
      continue;  // this runtime has no kernel for it
    }
    ASSERT_EQ(answers(testing::as_bytes(bytes), graph.feed),
              answers(testing::as_bytes(plain), graph.feed));
    const QuantizeOptions options = {.recipe = graph.recipe,
                                     .source_hash = false};
    const auto want = quantize_bytes(testing::as_bytes(plain), options);
    const auto got = quantize_bytes(testing::as_bytes(bytes), options);
    EXPECT_EQ(got.plan.quantized, want.plan.quantized);
    ASSERT_EQ(answers(got.model, graph.feed), answers(want.model, graph.feed));
    const auto again = quantize_bytes(got.model, options);
    EXPECT_EQ(again.model, got.model);
    quantized += static_cast<int>(got.plan.quantized);
  }
  EXPECT_GT(wrapped, 300);
  EXPECT_GT(quantized, 200);
}

}  // namespace
}  // namespace octavo
