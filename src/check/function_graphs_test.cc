// Random graphs whose nodes are put into functions of the model: what comes out
// must be what comes out without functions, bit for bit, before and after
// quantizing. ONNX Runtime inlines the original's functions by itself.
#include <gtest/gtest.h>

#include "testing/both.h"
#include "testing/functions.h"
#include "testing/random_graph.h"

namespace octavo {
namespace {

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
    wrapped += testing::wrap_in_functions(with, seed);
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
