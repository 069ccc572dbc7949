// Models that somebody has quantized before: left as they are, and said so.
#include <gtest/gtest.h>

#include "octavo/quantize.h"
#include "testing/tiny_model.h"

namespace octavo {
namespace {

using testing::TinyModel;

const std::vector<float> kWeight = {127, 1, 2, -127};

QuantizedBytes quantized(const TinyModel& m, const Recipe& asked = {}) {
  QuantizeOptions options;
  options.recipe = asked;
  options.recipe.min_bytes = 0;
  const std::string bytes = m.bytes();
  return quantize_bytes(testing::as_bytes(bytes), options);
}

// x, quantized and back, times W in the given form; then a float product.
void add_qdq(TinyModel& m, bool weight_is_stored) {
  m.input("x", DType::float32, {1, 2});
  m.floats("s", {}, {0.5f});
  m.init<uint8_t>("z", DType::uint8, {}, {128});
  m.init<int8_t>("wz", DType::int8, {}, {0});
  m.node("QuantizeLinear", {"x", "s", "z"}, {"xq"});
  m.node("DequantizeLinear", {"xq", "s", "z"}, {"xd"});
  if (weight_is_stored) {
    m.init<int8_t>("Wq", DType::int8, {2, 2}, {127, 1, 2, -127});
  } else {  // as quantization-aware training leaves it
    m.floats("W", {2, 2}, kWeight);
    m.node("QuantizeLinear", {"W", "s", "wz"}, {"Wq"});
  }
  m.node("DequantizeLinear", {"Wq", "s", "wz"}, {"Wd"});
  m.node("Transpose", {"Wd"}, {"Wt"});
  m.node("MatMul", {"xd", "Wt"}, {"h"}, "first");
  m.floats("V", {2, 2}, kWeight);
  m.node("MatMul", {"h", "V"}, {"y"}, "last");
  m.output("y", DType::float32, {1, 2});
}

TEST(QuantizedBefore, QdqModelsAreLeftAsTheyAre) {
  for (const bool stored : {true, false}) {
    TinyModel m;
    add_qdq(m, stored);
    const QuantizedBytes q = quantized(m);
    EXPECT_EQ(q.plan.quantized, 0);
    EXPECT_EQ(q.plan.already.at("QuantizeLinear"), stored ? 1 : 2);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(q.model.data()),
                          q.model.size()),
              m.bytes());
    std::vector<std::string> reasons;
    for (const Decision& d : q.plan.decisions) reasons.push_back(d.reason);
    EXPECT_EQ(
        reasons,
        (std::vector<std::string>{
            "its weight 'Wt' is quantized already",
            "the model is quantized already; name what shall be quantized, "
            "too, with --include or --ops"}));
  }
}

TEST(QuantizedBefore, WhatIsNamedIsQuantizedAllTheSame) {
  TinyModel m;
  add_qdq(m, true);
  Recipe r;
  r.include = {"last"};
  const QuantizedBytes q = quantized(m, r);
  EXPECT_EQ(q.plan.quantized, 1);
}

TEST(QuantizedBefore, KnowsWeightOnlyAndOperatorForms) {
  struct Form {
    const char *op, *domain;
  };
  for (const auto& [op, domain] :
       {Form{"MatMulNBits", "com.microsoft"}, Form{"QLinearMatMul", ""},
        Form{"QAttention", "com.microsoft"}}) {
    TinyModel m;
    m.opset("com.microsoft", 1);
    m.input("x", DType::float32, {1, 2});
    m.init<uint8_t>("B", DType::uint8, {2, 1, 8}, std::vector<uint8_t>(16, 7));
    m.floats("V", {2, 2}, kWeight);
    m.node(op, {"x", "B"}, {"h"}, "packed", domain);
    m.node("MatMul", {"h", "V"}, {"y"}, "head");
    m.output("y", DType::float32, {1, 2});
    const QuantizedBytes q = quantized(m);
    EXPECT_EQ(q.plan.quantized, 0) << op;
    EXPECT_EQ(q.plan.already, (std::map<std::string, int64_t>{{op, 1}}));
  }
  // An operator of that name in another domain says nothing.
  TinyModel m;
  m.opset("my.own", 1);
  m.input("x", DType::float32, {1, 2});
  m.node("MatMulNBits", {"x"}, {"h"}, "", "my.own");
  m.floats("V", {2, 2}, kWeight);
  m.node("MatMul", {"h", "V"}, {"y"}, "head");
  m.output("y", DType::float32, {1, 2});
  EXPECT_EQ(quantized(m).plan.quantized, 1);
}

// Each of our own forms is recognised, and a second run changes no byte.
TEST(QuantizedBefore, OwnResultsAreUnchangedByASecondRun) {
  TinyModel m;
  m.input("x", DType::float32, {1, 1, 3, 3});
  m.input("ids", DType::int64, {1});
  m.floats("K", {1, 1, 2, 2}, kWeight);
  m.floats("W", {2, 2}, kWeight);
  m.floats("E", {4, 64}, std::vector<float>(256, 0.5f));
  m.node("Conv", {"x", "K"}, {"c"}, "conv");
  m.node("MatMul", {"c", "W"}, {"y"}, "mm");
  m.node("Gather", {"E", "ids"}, {"e"}, "embed");
  m.output("y", DType::float32);
  m.output("e", DType::float32);
  const QuantizedBytes once = quantized(m);
  EXPECT_EQ(once.plan.quantized, 3);
  QuantizeOptions options;
  options.recipe.min_bytes = 0;
  const QuantizedBytes twice = quantize_bytes(once.model, options);
  EXPECT_EQ(twice.plan.quantized, 0);
  EXPECT_EQ(twice.plan.already,
            (std::map<std::string, int64_t>{
                {"MatMulInteger", 1}, {"int8 storage", 1}, {"int8 table", 1}}));
  EXPECT_EQ(twice.model, once.model);
}

}  // namespace
}  // namespace octavo
