// Graphs around a product that break quantizers: operators without a schema,
// domains by two names, empty things, inputs that are left out, many kinds of
// inputs and outputs. M0 of testing/tiny_model.h is exact in int8.
#include <gtest/gtest.h>

#include "testing/both.h"

namespace octavo {
namespace {

using testing::Both;
using testing::feed;
using testing::run_both;
using testing::TinyModel;

const std::vector<float> kM0 = {127, 1, 2, -127}, kAnswer = {510, -32385};

Feed m0_feed() { return feed("x", {1, 2}, {0, 255}); }

// No runtime is needed to quantize, nor a schema of what stands before.
TEST(GraphCases, AnOperatorThatNobodyKnowsStandsBefore) {
  TinyModel m;
  m.opset("my.ops", 1);
  m.input("x", DType::float32, {1, 2});
  m.floats("W", {2, 2}, kM0);
  m.node("Foo", {"x"}, {"h"}, "foo", "my.ops");
  m.node("MatMul", {"h", "W"}, {"y"}, "mm");
  m.output("y", DType::float32, {1, 2});
  const std::string bytes = m.bytes();
  QuantizeOptions options;
  options.recipe.min_bytes = 0;
  const auto q = quantize_bytes(testing::as_bytes(bytes), options);
  EXPECT_EQ(q.plan.quantized, 1);
}

// Gelu of 0 and of 255 is 0 and 255, to the last bit of float32.
TEST(GraphCases, AContribOperatorStandsBefore) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.opset("com.microsoft", 1);
  m.input("x", DType::float32, {1, 2});
  m.floats("W", {2, 2}, kM0);
  m.node("Gelu", {"x"}, {"h"}, "gelu", "com.microsoft");
  m.node("MatMul", {"h", "W"}, {"y"}, "mm");
  m.output("y", DType::float32, {1, 2});
  Both b = run_both(m, m0_feed());
  EXPECT_EQ(b.after(), kAnswer);
  EXPECT_EQ(b.plan.quantized, 1);
}

TEST(GraphCases, OnnxsOwnDomainHasTwoNames) {
  OCTAVO_NEED_RUNTIME();
  using Imports = std::vector<std::pair<std::string, int64_t>>;
  for (const Imports& imports :
       {Imports{{"", 12}, {"", 12}}, Imports{{"", 12}, {"ai.onnx", 12}},
        Imports{{"ai.onnx", 12}}}) {
    TinyModel m;
    testing::add_m0(m);
    m.model().clear_opset_import();
    for (const auto& [domain, version] : imports) m.opset(domain, version);
    Both b = run_both(m, m0_feed());
    EXPECT_EQ(b.after(), kAnswer);
    EXPECT_EQ(b.plan.quantized, 1);
  }
  TinyModel m(12);
  testing::add_m0(m);
  m.opset("ai.onnx", 13);
  const std::string bytes = m.bytes();
  try {
    quantize_bytes(testing::as_bytes(bytes));
    FAIL() << "two versions of one domain were taken";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("12 and 13"), std::string::npos);
  }
}

TEST(GraphCases, ABatchMayBeEmpty) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {-1, 2});
  m.floats("W", {2, 2}, kM0);
  m.node("MatMul", {"x", "W"}, {"y"}, "mm");
  m.output("y", DType::float32, {-1, 2});
  Both b = run_both(m, feed("x", {0, 2}, {}));
  EXPECT_EQ(b.copy.at(0).tensor.shape, (Shape{0, 2}));
}

TEST(GraphCases, AWeightMayBeEmpty) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {2, 0});
  m.floats("W", {0, 3}, {});
  m.node("MatMul", {"x", "W"}, {"y"}, "mm");
  m.output("y", DType::float32, {2, 3});
  Both b = run_both(m, feed("x", {2, 0}, {}));
  EXPECT_EQ(b.after(), std::vector<float>(6, 0));
  EXPECT_EQ(b.plan.quantized, 0);
}

TEST(GraphCases, ThereMayBeNoNodes) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {1});
  m.floats("W", {2, 2}, kM0);
  m.output("W", DType::float32, {2, 2});
  Both b = run_both(m, feed("x", {1}, {1}));
  EXPECT_EQ(b.after(), kM0);
  EXPECT_EQ(b.plan.candidates, 0);
}

// An input that is left out has the name "", which is no value.
TEST(GraphCases, InputsMayBeLeftOut) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m(13);
  m.input("x", DType::float32, {1, 1, 1, 2});
  m.floats("W", {4, 2}, {127, 1, 2, -127, 0, 0, 0, 0});
  m.floats("top", {}, {255});
  m.init<int64_t>("sizes", DType::int64, {4}, {1, 1, 1, 4});
  m.node("Clip", {"x", "", "top"}, {"c"}, "clip");
  auto& r = m.node("Resize", {"c", "", "", "sizes"}, {"r"}, "resize");
  testing::set_string(r, "coordinate_transformation_mode", "asymmetric");
  testing::set_string(r, "nearest_mode", "floor");
  m.node("MatMul", {"r", "W"}, {"y"}, "mm");
  m.output("y", DType::float32);
  // x = [0, 300] -> [0, 255] -> [0, 0, 255, 255]; of W only the first rows
  // are not zero, and they meet zeros.
  Both b = run_both(m, feed("x", {1, 1, 1, 2}, {300, 0}));
  // [255, 255, 0, 0] W = 255 x (row 0 + row 1).
  EXPECT_EQ(b.after(), (std::vector<float>{255 * 129, 255 * -126}));
  EXPECT_EQ(b.plan.quantized, 1);
}

TEST(GraphCases, InputsAndOutputsMayBeOfManyKinds) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("ids", DType::int64, {2});
  m.input("mask", DType::boolean, {2});
  m.input("x", DType::float32, {1, 2});
  m.input("s", DType::string, {2});
  m.floats("W", {2, 2}, kM0);
  m.node("MatMul", {"x", "W"}, {"y"}, "mm");
  testing::set_int(m.node("ArgMax", {"y"}, {"label"}), "axis", 1);
  m.node("Identity", {"s"}, {"z"});
  m.node("Not", {"mask"}, {"not"});
  m.node("Neg", {"ids"}, {"neg"});
  m.output("y", DType::float32, {1, 2});
  m.output("label", DType::int64, {1, 1});
  m.output("z", DType::string, {2});
  m.output("not", DType::boolean, {2});
  m.output("neg", DType::int64, {2});
  Feed f = m0_feed();
  Tensor words = make_tensor(DType::string, {2});
  words.strings = {"a", "\xe4\xb8\xad"};
  f.inputs.push_back({"s", words});
  f.inputs.push_back(
      {"mask", make_tensor<uint8_t>(DType::boolean, {2}, {0, 1})});
  f.inputs.push_back({"ids", make_tensor<int64_t>(DType::int64, {2}, {3, 4})});
  Both b = run_both(m, f);
  EXPECT_EQ(b.after(), kAnswer);
  for (size_t i = 1; i < b.copy.size(); ++i) {
    EXPECT_EQ(b.copy[i].tensor.bytes, b.original[i].tensor.bytes);
    EXPECT_EQ(b.copy[i].tensor.strings, b.original[i].tensor.strings);
  }
  EXPECT_EQ(b.copy[2].tensor.strings, words.strings);
}

}  // namespace
}  // namespace octavo
