// Weights in blocks on the real runtime. Each block holds -8 (or -128), so that
// its scale is exactly 1, and integers; the inputs are integers with 127 in
// each block, which int8 activations hold, too: then the answers must be the
// float ones to the last bit.
#include <gtest/gtest.h>

#include "testing/both.h"

namespace octavo {
namespace {

using testing::Both;
using testing::run_both;
using testing::set_float;
using testing::set_int;
using testing::TinyModel;

constexpr int64_t kDepth = 48, kOutputs = 5, kBlock = 32;

Recipe blocks(WeightForm form) {
  Recipe r = testing::all_sizes();
  r.weights = form;
  r.block = kBlock;
  return r;
}

// Integers from -half to half - 1, -half first in each block.
std::vector<float> grid(int half, bool by_output) {
  std::vector<float> w(kDepth * kOutputs);
  for (int64_t k = 0; k < kDepth; ++k)
    for (int64_t n = 0; n < kOutputs; ++n) {
      const int64_t v =
          k % kBlock == 0 ? -half : (7 * k + 3 * n) % (2 * half) - half;
      w[static_cast<size_t>(by_output ? n * kDepth + k : k * kOutputs + n)] =
          static_cast<float>(v);
    }
  return w;
}

Feed inputs() {
  std::vector<float> x(2 * kDepth);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = i % kDepth % kBlock == 1 ? 127 : static_cast<float>(i % 9) - 4;
  return testing::feed("x", {2, kDepth}, x);
}

void add_product(TinyModel& m, int half) {
  m.input("x", DType::float32, {2, kDepth});
  m.floats("W", {kDepth, kOutputs}, grid(half, false));
  m.node("MatMul", {"x", "W"}, {"y"}, "mm");
  m.output("y", DType::float32, {2, kOutputs});
}

int runtime_minor() {
  const std::string v = runtime_info(*testing::runtime_or_null()).version;
  return std::atoi(v.c_str() + v.find('.') + 1);
}

TEST(BlocksCopy, IsExactOnTheGridWhereTheLastBlockIsShort) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  add_product(m, 8);
  Both b = run_both(m, inputs(), blocks(WeightForm::int4));
  EXPECT_EQ(b.after(), b.before());
  EXPECT_EQ(b.count("MatMulNBits"), 1);
  EXPECT_EQ(b.plan.decisions[0].action, Action::blocks4);
  // 5 outputs of 2 blocks: 16 bytes of values and a float each.
  EXPECT_EQ(b.plan.decisions[0].bytes_after, 5 * 2 * (16 + 4));
  EXPECT_EQ(needed_runtime(b.plan).version, "1.16");
}

TEST(BlocksCopy, IsExactOnTheGridWithEightBits) {
  OCTAVO_NEED_RUNTIME();
  if (runtime_minor() < 23) GTEST_SKIP() << "needs ONNX Runtime 1.23 or later";
  TinyModel m;
  add_product(m, 128);
  Both b = run_both(m, inputs(), blocks(WeightForm::int8));
  EXPECT_EQ(b.after(), b.before());
  EXPECT_EQ(needed_runtime(b.plan).version, "1.23");
}

// The range of each block is -8 to 7: 15 steps of 1, and 8 for zero.
TEST(BlocksCopy, IsExactOnTheGridWithZeroPoints) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  add_product(m, 8);
  std::vector<float> w = grid(8, false);
  for (int64_t k = 1; k < kDepth; k += kBlock)
    for (int64_t n = 0; n < kOutputs; ++n)
      w[static_cast<size_t>(k * kOutputs + n)] = 7;
  m.floats("V", {kDepth, kOutputs}, w);
  m.proto().mutable_node(0)->set_input(1, "V");
  Recipe r = blocks(WeightForm::int4);
  r.asymmetric = true;
  Both b = run_both(m, inputs(), r);
  EXPECT_EQ(b.after(), b.before());
}

TEST(BlocksCopy, TakesGemmWithATurnedWeightAlphaAndBias) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {2, kDepth});
  m.floats("W", {kOutputs, kDepth}, grid(8, true));
  m.floats("C", {kOutputs}, {1, -2, 3, -4, 5});
  auto& gemm = m.node("Gemm", {"x", "W", "C"}, {"y"}, "g");
  set_int(gemm, "transB", 1);
  set_float(gemm, "alpha", 0.5f);
  m.output("y", DType::float32, {2, kOutputs});
  Both b = run_both(m, inputs(), blocks(WeightForm::int4));
  EXPECT_EQ(b.after(), b.before());
  EXPECT_EQ(b.count("MatMulNBits"), 1);
  EXPECT_EQ(b.count("Gemm"), 0);
}

TEST(BlocksCopy, HasAFormOfStandardOperators) {
  OCTAVO_NEED_RUNTIME();
  if (testing::newest_opset() < 21)
    GTEST_SKIP() << "needs ONNX Runtime 1.20 or later";
  for (const WeightForm form : {WeightForm::int4, WeightForm::int8}) {
    Recipe r = blocks(form);
    r.standard_ops = true;
    TinyModel m(21);
    add_product(m, form == WeightForm::int4 ? 8 : 128);
    Both b = run_both(m, inputs(), r);
    EXPECT_EQ(b.count("DequantizeLinear"), 1);
    EXPECT_EQ(b.count("MatMulNBits"), 0);
    EXPECT_EQ(needed_runtime(b.plan).version, "1.19");
    EXPECT_EQ(b.after(), b.before());
  }
}

TEST(BlocksCopy, SaysWhyAWeightIsStoredInstead) {
  TinyModel m(17);
  m.input("x", DType::float32, {2, 2, 2});
  m.floats("W", {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  m.node("MatMul", {"x", "W"}, {"y"}, "mm");
  m.node("MatMul", {"W", "x"}, {"z"}, "left");
  m.floats("V", {2, 2}, {1, 2, 3, 4});
  m.node("MatMul", {"x", "V"}, {"v"}, "new");
  for (const char* out : {"y", "z", "v"})
    m.output(out, DType::float32, {2, 2, 2});
  const std::string bytes = m.bytes();
  Recipe r = blocks(WeightForm::int4);
  r.standard_ops = true;
  const Plan plan = make_plan(open_model(testing::as_bytes(bytes)), r);
  const auto has = [&](size_t i, const char* text) {
    return plan.decisions[i].reason.find(text) != std::string::npos;
  };
  EXPECT_TRUE(has(0, "is no matrix, as blocks demand"));
  EXPECT_TRUE(has(1, "is no matrix, as blocks demand"));
  EXPECT_TRUE(has(2, "opset 17 has no DequantizeLinear with blocks"));
}

// 8192 weights of +-0.3 and one of 1: the range gives steps of 1 / 127, whose
// rounding costs 8192 / 12 / 127^2 = 0.0423; a range smaller by a fortieth
// costs 5 % less of that, 0.0021, and 0.000625 at the one weight.
TEST(ScaleMse, IsNeverWorseAndHereBetter) {
  constexpr size_t kRows = 8192;
  std::vector<float> w(kRows * 2);
  for (size_t i = 0; i < w.size(); ++i)
    w[i] = 0.6f * static_cast<float>((i * 7919) % 10007) / 10007 - 0.3f;
  w[10] = 1;  // of the first column; the second one has none
  TinyModel m;
  m.input("x", DType::float32, {2, kRows});
  m.floats("W", {kRows, 2}, w);
  m.node("MatMul", {"x", "W"}, {"y"}, "mm");
  m.output("y", DType::float32, {2, 2});
  const std::string bytes = m.bytes();
  const auto errors = [&](bool per_channel, Scaling scaling) {
    QuantizeOptions options;
    options.recipe.per_channel = per_channel;
    options.recipe.scaling = scaling;
    const auto copy = quantize_bytes(testing::as_bytes(bytes), options).model;
    onnx::ModelProto p;
    EXPECT_TRUE(p.ParseFromArray(copy.data(), static_cast<int>(copy.size())));
    std::string q, s;
    for (const auto& t : p.graph().initializer()) {
      if (t.name() == "W_quantized") q = t.raw_data();
      if (t.name() == "W_scale") s = t.raw_data();
    }
    std::vector<float> scale(s.size() / sizeof(float));
    std::memcpy(scale.data(), s.data(), s.size());
    std::vector<double> sum(scale.size());
    for (size_t i = 0; i < w.size(); ++i) {
      const size_t g = i % scale.size();
      const double d =
          static_cast<double>(w[i]) -
          static_cast<double>(scale[g]) * static_cast<signed char>(q.at(i));
      sum[g] += d * d;
    }
    return sum;
  };
  for (const bool per_channel : {false, true}) {
    const auto range = errors(per_channel, Scaling::range);
    const auto mse = errors(per_channel, Scaling::mse);
    ASSERT_EQ(range.size(), per_channel ? 2u : 1u);
    EXPECT_LT(mse[0], range[0]);
    for (size_t g = 0; g < range.size(); ++g)
      EXPECT_LE(mse[g], range[g] * (1 + 1e-6));
  }
}

}  // namespace
}  // namespace octavo
