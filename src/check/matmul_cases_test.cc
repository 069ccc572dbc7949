// MatMul and Gemm on the real runtime. The weights are integers with +-127 in
// each column, the inputs integers from 0 to 255 that hold both: then all
// scales are exactly 1, and int8 must give the float answers to the last bit.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <tuple>

#include "testing/both.h"

namespace octavo {
namespace {

using testing::Both;
using testing::feed;
using testing::run_both;
using testing::set_float;
using testing::set_int;
using testing::TinyModel;

TEST(MatMulCopy, IsExactOnTheGrid) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  testing::add_m0(m);
  Both b = run_both(m, feed("x", {1, 2}, {0, 255}));
  EXPECT_EQ(b.after(), (std::vector<float>{510, -32385}));
  EXPECT_EQ(b.count("MatMulInteger"), 1);
  EXPECT_EQ(b.count("MatMul"), 0);
  EXPECT_EQ(b.plan.quantized, 1);
}

TEST(MatMulCopy, IsExactPerTensorToo) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  testing::add_m0(m);
  Recipe r = testing::all_sizes();
  r.per_channel = false;
  Both b = run_both(m, feed("x", {1, 2}, {0, 255}), r);
  EXPECT_EQ(b.after(), (std::vector<float>{510, -32385}));
}

// With 64 as the largest weight the reduced scale is 1; the full one is not.
TEST(MatMulCopy, IsExactInTheReducedRange) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {1, 2});
  m.floats("W", {2, 2}, {64, 1, 2, -64});
  m.node("MatMul", {"x", "W"}, {"y"}, "mm");
  m.output("y", DType::float32, {1, 2});
  Recipe r = testing::all_sizes();
  r.reduce_range = true;
  Both b = run_both(m, feed("x", {1, 2}, {0, 255}), r);
  EXPECT_EQ(b.after(), (std::vector<float>{510, -16320}));
}

// y = x W with weights that arrive by different ways; all must give M0.
TEST(MatMulCopy, TakesAConstantHoweverItArrives) {
  OCTAVO_NEED_RUNTIME();
  const std::vector<float> w = {127, 1, 2, -127}, wt = {127, 2, 1, -127};
  const std::vector<std::function<void(TinyModel&)>> ways = {
      [&](TinyModel& m) { m.constant<float>("W", DType::float32, {2, 2}, w); },
      [&](TinyModel& m) {
        m.floats("W0", {2, 2}, w);
        m.node("Identity", {"W0"}, {"W"});
      },
      [&](TinyModel& m) {
        m.floats("W0", {2, 2}, wt);
        m.node("Transpose", {"W0"}, {"W"});
      },
      [&](TinyModel& m) {
        m.floats("W0", {4}, w);
        m.init<int64_t>("to", DType::int64, {2}, {2, -1});
        m.node("Reshape", {"W0", "to"}, {"W"});
      },
      [&](TinyModel& m) {  // turned over, then reshaped: must be reordered
        m.floats("W0", {2, 1, 2}, wt);
        testing::set_ints(m.node("Transpose", {"W0"}, {"W1"}), "perm",
                          {2, 1, 0});
        m.init<int64_t>("axes", DType::int64, {1}, {1});
        m.node("Squeeze", {"W1", "axes"}, {"W"});
      },
      [&](TinyModel& m) {
        m.floats("W0", {2, 2}, w);
        m.init<int64_t>("axes", DType::int64, {1}, {0});
        m.node("Unsqueeze", {"W0", "axes"}, {"W1"});
        testing::set_int(m.node("Flatten", {"W1"}, {"W"}), "axis", 2);
      },
      [&](TinyModel& m) {  // float16 127, 1, 2, -127
        m.init<uint16_t>("W0", DType::float16, {2, 2},
                         {0x57f0, 0x3c00, 0x4000, 0xd7f0});
        set_int(m.node("Cast", {"W0"}, {"W"}), "to", 1);
      },
  };
  for (size_t i = 0; i < ways.size(); ++i) {
    SCOPED_TRACE(i);
    TinyModel m;
    m.input("x", DType::float32, {1, 2});
    ways[i](m);
    m.node("MatMul", {"x", "W"}, {"y"}, "mm");
    m.output("y", DType::float32, {1, 2});
    Both b = run_both(m, feed("x", {1, 2}, {0, 255}));
    EXPECT_EQ(b.before(), (std::vector<float>{510, -32385}));
    EXPECT_EQ(b.after(), b.before());
    EXPECT_EQ(b.count("MatMulInteger"), 1);
    // Nothing of the float weight is left.
    for (const auto& t : b.model.graph().initializer())
      EXPECT_NE(t.name(), "W0");
    EXPECT_EQ(b.count("Constant") + b.count("Identity") + b.count("Reshape") +
                  b.count("Transpose") + b.count("Flatten"),
              0);
  }
}

TEST(MatMulCopy, TakesAConstantLeftSide) {
  OCTAVO_NEED_RUNTIME();
  // A [3,2] with 127 in each row; X [2,2].
  for (const Shape& x : {Shape{2, 2}, Shape{1, 2, 2}, Shape{2}}) {
    TinyModel m;
    m.input("x", DType::float32, x);
    m.floats("A", {3, 2}, {127, -3, 5, 127, -127, 9});
    m.node("MatMul", {"A", "x"}, {"y"});
    m.output("y", DType::float32);
    std::vector<float> values = {0, 255, 17, 33};
    values.resize(static_cast<size_t>(element_count(x)));
    Both b = run_both(m, feed("x", x, values));
    EXPECT_EQ(b.after(), b.before());
    EXPECT_EQ(b.original[0].tensor.shape, b.copy[0].tensor.shape);
    EXPECT_EQ(b.count("MatMulInteger"), 1);
  }
}

// ONNX Runtime 1.30 takes what is added to a quantized product with a vector
// for a bias of its one column, and fails.
TEST(MatMulCopy, AddsAVectorToAProductWithAVector) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {3, 2});
  m.floats("W", {2}, {127, -2});
  m.floats("b", {3}, {1, 2, 3});
  m.node("MatMul", {"x", "W"}, {"p"}, "mm");
  m.node("Add", {"p", "b"}, {"y"});
  m.output("y", DType::float32, {3});
  Both b = run_both(m, feed("x", {3, 2}, {0, 255, 1, 1, 2, 0}));
  EXPECT_EQ(b.plan.quantized, 1);
  // 127 x0 - 2 x1 + b.
  EXPECT_EQ(b.after(), (std::vector<float>{-509, 127, 257}));
}

// ONNX Runtime 1.30 fuses the Transpose behind such a product into the float
// product that reads it, and then misses the output.
TEST(MatMulCopy, KeepsAnOutputThatOthersReadAsWell) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {2, 2});
  m.floats("W", {2, 2}, {127, 1, 2, -127});
  m.node("MatMul", {"W", "x"}, {"y"}, "left");
  m.node("MatMul", {"y", "x"}, {"z"}, "both computed");
  m.output("y", DType::float32, {2, 2});
  m.output("z", DType::float32, {2, 2});
  Both b = run_both(m, feed("x", {2, 2}, {0, 255, 1, 2}));
  EXPECT_EQ(b.plan.quantized, 1);
  // [127 1; 2 -127] [0 255; 1 2], then times x again.
  EXPECT_EQ(b.after(0), (std::vector<float>{1, 32387, -127, 256}));
}

// Until IR 3 a body has no initializers: what its weights become stands
// outside.
TEST(MatMulCopy, PutsWeightsOfBodiesOutsideWhereTheyMustBe) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m(11, 3);
  m.input("x", DType::float32, {1, 2});
  m.input("c", DType::boolean, {});
  auto& branch = m.node("If", {"c"}, {"y"});
  for (const char* name : {"then_branch", "else_branch"}) {
    auto body = testing::add_graph(branch, name);
    const std::string end = name;
    body.constant<float>("W" + end, DType::float32, {2, 2}, {127, 1, 2, -127});
    body.node("MatMul", {"x", "W" + end}, {"p" + end});
    body.output("p" + end, DType::float32, {1, 2});
  }
  m.output("y", DType::float32, {1, 2});
  Feed f = feed("x", {1, 2}, {0, 255});
  f.inputs.push_back({"c", make_tensor<uint8_t>(DType::boolean, {}, {1})});
  Both b = run_both(m, f);
  EXPECT_EQ(b.plan.quantized, 2);
  EXPECT_EQ(b.after(), (std::vector<float>{510, -32385}));
}

TEST(MatMulCopy, TakesVectorsAndStacksOfMatrices) {
  OCTAVO_NEED_RUNTIME();
  {
    TinyModel m;
    m.input("x", DType::float32, {1, 2});
    m.floats("w", {2}, {127, -5});
    m.node("MatMul", {"x", "w"}, {"y"});
    m.output("y", DType::float32);
    Both b = run_both(m, feed("x", {1, 2}, {3, 255}));
    EXPECT_EQ(b.after(), (std::vector<float>{3 * 127 - 5 * 255}));
    EXPECT_EQ(b.plan.quantized, 1);
  }
  {
    TinyModel m;
    m.input("x", DType::float32, {2, 2, 2});
    m.floats("w", {2, 2, 3},
             {127, -5, 3, 1, 127, -127,  //
              -127, 11, 127, 2, 127, 64});
    m.node("MatMul", {"x", "w"}, {"y"});
    m.output("y", DType::float32);
    Both b = run_both(m, feed("x", {2, 2, 2}, {0, 255, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(b.after(), b.before());
    EXPECT_EQ(b.count("MatMulInteger"), 1);
  }
}

TEST(MatMulCopy, SharesOneWeightAndOneActivation) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {1, 2});
  m.floats("W", {2, 2}, {127, 1, 2, -127});
  m.node("MatMul", {"x", "W"}, {"a"}, "one");
  m.node("MatMul", {"x", "W"}, {"b"}, "two");
  m.node("Add", {"a", "b"}, {"y"});
  m.output("y", DType::float32, {1, 2});
  Both b = run_both(m, feed("x", {1, 2}, {0, 255}));
  EXPECT_EQ(b.after(), (std::vector<float>{1020, -64770}));
  EXPECT_EQ(b.count("DynamicQuantizeLinear"), 1);
  EXPECT_EQ(b.model.graph().initializer_size(), 2);  // values and scales
}

TEST(MatMulCopy, KeepsTheFloatWeightForItsFloatUser) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {1, 2});
  m.floats("W", {2, 2}, {0.1f, 0.7f, 0.33f, -0.9f});
  m.node("MatMul", {"x", "W"}, {"a"});
  m.node("Neg", {"W"}, {"n"});
  m.output("a", DType::float32).output("n", DType::float32);
  Both b = run_both(m, feed("x", {1, 2}, {0, 255}));
  EXPECT_EQ(b.after(1), b.before(1));  // bit for bit
  EXPECT_EQ(b.count("MatMulInteger"), 1);
}

TEST(MatMulCopy, KeepsFloat16Types) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float16, {1, 2});
  m.init<uint16_t>("W", DType::float16, {2, 2},
                   {0x57f0, 0x3c00, 0x4000, 0xd7f0});
  m.node("MatMul", {"x", "W"}, {"y"});
  m.output("y", DType::float16, {1, 2});
  // x = [0, 255]: y = [510, -32385], which float16 rounds to -32384.
  const Feed x = {
      {{"x", make_tensor<uint16_t>(DType::float16, {1, 2}, {0, 0x5bf8})}}};
  Both b = run_both(m, x);
  ASSERT_EQ(b.copy[0].tensor.type, DType::float16);
  const auto y = b.copy[0].tensor.as<uint16_t>();
  EXPECT_EQ(y[0], 0x5ff8);  // 510
  EXPECT_EQ(y[1], 0xf7e8);  // -32384
  EXPECT_EQ(b.count("MatMulInteger"), 1);
}

TEST(MatMulCopy, ConvertsOlderOpsets) {
  OCTAVO_NEED_RUNTIME();
  for (const int64_t opset : {7, 8, 9, 10}) {
    TinyModel m(opset, 5);
    testing::add_m0(m);
    Both b = run_both(m, feed("x", {1, 2}, {0, 255}));
    EXPECT_EQ(b.after(), (std::vector<float>{510, -32385}));
    EXPECT_EQ(b.count("MatMulInteger"), 1);
    EXPECT_EQ(b.plan.converted_from, opset);
    Recipe keep = testing::all_sizes();
    keep.keep_opset = true;
    Both k = run_both(m, feed("x", {1, 2}, {0, 255}), keep);
    EXPECT_EQ(k.after(), (std::vector<float>{510, -32385}));
    EXPECT_EQ(k.plan.decisions.at(0).action, Action::storage);
    EXPECT_EQ(k.model.opset_import(0).version(), opset);
  }
}

TEST(MatMulCopy, TakesInitializersThatIr3ListsAmongTheInputs) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m(11, 3);
  testing::add_m0(m);
  m.input("W", DType::float32, {2, 2});
  Both b = run_both(m, feed("x", {1, 2}, {0, 255}));
  EXPECT_EQ(b.after(), (std::vector<float>{510, -32385}));
  EXPECT_EQ(b.count("MatMulInteger"), 1);
  // Each initializer is listed among the inputs, and nothing else but x.
  EXPECT_EQ(b.model.graph().input_size(),
            1 + b.model.graph().initializer_size());
}

TEST(MatMulCopy, LeavesAnOverridableWeightFloat) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  testing::add_m0(m);
  m.input("W", DType::float32, {2, 2});
  Both b = run_both(m, feed("x", {1, 2}, {0, 255}));
  EXPECT_EQ(b.plan.quantized, 0);
  EXPECT_NE(b.plan.decisions[0].reason.find("caller may replace"),
            std::string::npos);
}

TEST(MatMulCopy, FindsNamesThatAreFree) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {1, 2});
  m.floats("W", {2, 2}, {127, 1, 2, -127});
  m.floats("W_quantized", {2}, {1, 1});
  m.floats("W_scale", {2}, {2, 2});
  m.node("Mul", {"x", "W_scale"}, {"x_scale"}, "x_QuantizeLinear");
  m.node("Mul", {"x_scale", "W_quantized"}, {"x_quantized"}, "y0_quant");
  m.node("MatMul", {"x", "W"}, {"y0"}, "y0");
  m.node("Add", {"y0", "x_quantized"}, {"y"}, "");
  m.output("y", DType::float32, {1, 2});
  Both b = run_both(m, feed("x", {1, 2}, {0, 255}));
  EXPECT_EQ(b.after(), (std::vector<float>{510, -32385 + 510}));
  EXPECT_EQ(b.after(), b.before());
}

TEST(MatMulCopy, EntersBodiesAndSharesOuterWeights) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("c", DType::boolean, {});
  m.input("x", DType::float32, {1, 2});
  m.floats("W", {2, 2}, {127, 1, 2, -127});
  auto& branch = m.node("If", {"c"}, {"y"}, "if");
  auto then = testing::add_graph(branch, "then_branch");
  then.node("MatMul", {"x", "W"}, {"t"});
  then.output("t", DType::float32, {1, 2});
  auto other = testing::add_graph(branch, "else_branch");
  other.node("MatMul", {"x", "W"}, {"e0"});
  other.node("Neg", {"e0"}, {"e"});
  other.output("e", DType::float32, {1, 2});
  m.output("y", DType::float32, {1, 2});
  for (const bool c : {true, false}) {
    Feed f = feed("x", {1, 2}, {0, 255});
    f.inputs.emplace_back("c", make_tensor<bool>(DType::boolean, {}, {c}));
    Both b = run_both(m, f);
    const float sign = c ? 1 : -1;
    EXPECT_EQ(b.after(), (std::vector<float>{sign * 510, sign * -32385}));
    EXPECT_EQ(b.count("MatMulInteger"), 2);
    EXPECT_EQ(b.model.graph().initializer_size(), 2);  // one int8 W outside
  }
}

TEST(MatMulCopy, LeavesNaNAndInfFloatAndSaysSo) {
  OCTAVO_NEED_RUNTIME();
  for (const float bad : {std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()}) {
    TinyModel m;
    m.input("x", DType::float32, {1, 2});
    m.floats("W", {2, 2}, {127, 1, bad, -127});
    m.floats("V", {2, 2}, {127, 1, 2, -127});
    m.node("MatMul", {"x", "W"}, {"a"});
    m.node("MatMul", {"x", "V"}, {"y"});
    m.output("y", DType::float32, {1, 2}).output("a", DType::float32);
    Both b = run_both(m, feed("x", {1, 2}, {0, 255}));
    EXPECT_EQ(b.plan.quantized, 1);
    EXPECT_NE(b.plan.decisions[0].reason.find("NaN or Inf"), std::string::npos);
    EXPECT_EQ(b.after(), (std::vector<float>{510, -32385}));
  }
}

TEST(MatMulCopy, GuardsScalesOfZeroAndSubnormalWeights) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {1, 2});
  m.floats("W", {2, 3}, {127, 0, 1e-42f, 2, 0, -1e-42f});
  m.node("MatMul", {"x", "W"}, {"y"});
  m.output("y", DType::float32);
  Both b = run_both(m, feed("x", {1, 2}, {0, 255}));
  EXPECT_EQ(b.after(), (std::vector<float>{510, 0, 0}));
}

TEST(MatMulCopy, LeavesOtherDomainsAlone) {
  TinyModel m;
  m.opset("my.ops", 1);
  m.input("x", DType::float32, {1, 2});
  m.floats("W", {2, 2}, {127, 1, 2, -127});
  m.node("MatMul", {"x", "W"}, {"y"}, "mm", "my.ops");
  m.output("y", DType::float32, {1, 2});
  const std::string bytes = m.bytes();
  QuantizeOptions options;
  options.recipe = testing::all_sizes();
  const auto q = quantize_bytes(testing::as_bytes(bytes), options);
  EXPECT_EQ(q.plan.quantized, 0);
  EXPECT_NE(q.plan.decisions.at(0).reason.find("my.ops::MatMul"),
            std::string::npos);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(q.model.data()),
                        q.model.size()),
            bytes);
}

TEST(MatMulCopy, SaysWhyNothingIsConstant) {
  TinyModel m;
  m.input("a", DType::float32, {1, 2}).input("b", DType::float32, {2, 1});
  m.node("MatMul", {"a", "b"}, {"y"});
  m.output("y", DType::float32);
  const std::string bytes = m.bytes();
  const Model model = open_model(testing::as_bytes(bytes));
  const Plan plan = make_plan(model);
  EXPECT_EQ(plan.candidates, 1);
  EXPECT_EQ(plan.quantized, 0);
  EXPECT_EQ(plan.decisions[0].reason, "its weight 'b' is fed while running");
}

// C10 of the plan: B [3,2], alpha 0.5, beta 2, transB.
TEST(GemmCopy, HonoursAlphaBetaAndTransB) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {2, 2});
  m.floats("B", {3, 2}, {127, -64, 30, 10, 5, -127});
  m.floats("C", {1}, {10});
  auto& g = m.node("Gemm", {"x", "B", "C"}, {"y"}, "/fc/Gemm");
  set_float(g, "alpha", 0.5f);
  set_float(g, "beta", 2);
  set_int(g, "transB", 1);
  m.output("y", DType::float32);
  // Per tensor, where one scale of 1 serves: the middle column has no 127.
  Recipe r = testing::all_sizes();
  r.per_channel = false;
  Both b = run_both(m, feed("x", {2, 2}, {0, 255, 51, 255}), r);
  EXPECT_EQ(b.after(),
            (std::vector<float>{-8140, 1295, -16172.5, -4901.5, 2060, -16045}));
  EXPECT_EQ(b.count("Gemm"), 0);
}

TEST(GemmCopy, IsExactInEveryForm) {
  OCTAVO_NEED_RUNTIME();
  const std::vector<float> square = {127, 3, -127, 127};
  for (const int ta : {0, 1})
    for (const int tb : {0, 1})
      for (const bool left : {false, true})
        for (const auto& [shape, beta, given] :
             {std::tuple(Shape{2}, 1.0f, true),
              std::tuple(Shape{1}, 2.0f, true),
              std::tuple(Shape{1, 2}, 0.0f, true),
              std::tuple(Shape{2, 2}, 1.0f, true),
              std::tuple(Shape{2, 1}, 0.5f, true),
              std::tuple(Shape{}, 4.0f, true),
              std::tuple(Shape{}, 1.0f, false)}) {
          SCOPED_TRACE(::testing::Message() << ta << tb << left << beta
                                            << shape_text(shape) << given);
          TinyModel m;
          m.input("x", DType::float32, {2, 2});
          m.floats("W", {2, 2}, square);
          std::vector<std::string> inputs =
              left ? std::vector<std::string>{"W", "x"}
                   : std::vector<std::string>{"x", "W"};
          if (given) {
            std::vector<float> c(static_cast<size_t>(element_count(shape)));
            for (size_t i = 0; i < c.size(); ++i)
              c[i] = static_cast<float>(3 * i) + 5;
            m.floats("C", shape, c);
            inputs.emplace_back("C");
          } else if (ta) {
            inputs.emplace_back("");  // an empty name is no bias either
          }
          auto& g = m.node("Gemm", inputs, {"y"});
          set_int(g, "transA", ta);
          set_int(g, "transB", tb);
          set_float(g, "beta", beta);
          m.output("y", DType::float32);
          Both b = run_both(m, feed("x", {2, 2}, {0, 255, 17, 99}));
          EXPECT_EQ(b.after(), b.before());
          EXPECT_EQ(b.count("MatMulInteger"), 1);
        }
}

TEST(GemmCopy, SharesASquareWeightThatOneUserTurnsOver) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {1, 2});
  m.floats("B", {2, 2}, {127, 3, -127, 127});
  m.node("Gemm", {"x", "B"}, {"a"}, "straight");
  set_int(m.node("Gemm", {"x", "B"}, {"b"}, "turned"), "transB", 1);
  m.node("Add", {"a", "B"}, {"c"}, "third");
  m.output("a", DType::float32)
      .output("b", DType::float32)
      .output("c", DType::float32);
  Both b = run_both(m, feed("x", {1, 2}, {0, 255}));
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(b.after(i), b.before(i));
  EXPECT_EQ(b.count("MatMulInteger"), 2);
}

TEST(GemmCopy, DoesNotMindStaleTypesOfItsWeight) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {1, 2});
  m.floats("B", {2, 2}, {127, 3, -127, 127});
  m.info("B", DType::float32, {2, 2});
  set_int(m.node("Gemm", {"x", "B"}, {"y"}), "transB", 1);
  m.output("y", DType::float32);
  Both b = run_both(m, feed("x", {1, 2}, {0, 255}));
  EXPECT_EQ(b.after(), b.before());
  EXPECT_EQ(b.model.graph().value_info_size(), 0);
}

TEST(Copy, IsMadeOnceAndLeftAloneTheSecondTime) {
  TinyModel m;
  testing::add_m0(m);
  QuantizeOptions options;
  options.recipe = testing::all_sizes();
  const std::string bytes = m.bytes();
  const auto once = quantize_bytes(testing::as_bytes(bytes), options);
  const auto twice = quantize_bytes(once.model, options);
  EXPECT_EQ(twice.plan.quantized, 0);
  EXPECT_EQ(twice.model, once.model);
}

TEST(Copy, KeepsMetadataAndSaysWhereItComesFrom) {
  TinyModel m;
  testing::add_m0(m);
  auto& proto = m.model();
  proto.set_producer_version("2.3");
  proto.set_doc_string("doc");
  auto* e = proto.add_metadata_props();
  e->set_key("labels");
  e->set_value("a,b");
  QuantizeOptions options;
  options.recipe = testing::all_sizes();
  const std::string bytes = m.bytes();
  const auto q = quantize_bytes(testing::as_bytes(bytes), options);
  onnx::ModelProto got;
  ASSERT_TRUE(
      got.ParseFromArray(q.model.data(), static_cast<int>(q.model.size())));
  EXPECT_EQ(got.producer_name(), "tiny");
  EXPECT_EQ(got.producer_version(), "2.3");
  EXPECT_EQ(got.doc_string(), "doc");
  std::map<std::string, std::string> meta;
  for (const auto& p : got.metadata_props()) meta[p.key()] = p.value();
  EXPECT_EQ(meta["labels"], "a,b");
  EXPECT_EQ(meta["octavo.recipe"], "safe per-channel min-bytes=0");
  EXPECT_EQ(meta["octavo.source_sha256"].size(), 64u);
}

}  // namespace
}  // namespace octavo
