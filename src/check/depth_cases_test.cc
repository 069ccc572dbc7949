// Sums of so many products that int32 may not hold them, on the real runtime.
// Weights are integers with a 127 in each column and inputs integers up to 255,
// so that all scales are 1. Where weights are large, every other one is 0 or
// has the other sign, so that no pair saturates on processors without VNNI.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "testing/both.h"

namespace octavo {
namespace {

using testing::Both;
using testing::feed;
using testing::run_both;
using testing::set_int;
using testing::TinyModel;

// The most that weights of one sign may sum to: 255 * 8421504 = 2^31 - 128.
constexpr int64_t kMost = 8421504;  // = 66311 * 127 + 7

// A column [2 n]: `even` at even places, `odd` at odd ones, then [last, 0].
std::vector<float> column(size_t n, float even, float odd, float last) {
  std::vector<float> w;
  for (size_t i = 0; i < n; ++i) w.insert(w.end(), {even, odd});
  w.insert(w.end(), {last, 0});
  return w;
}

std::vector<float> alternating(size_t length, float even, float odd) {
  std::vector<float> x(length);
  for (size_t i = 0; i < length; ++i) x[i] = i % 2 == 0 ? even : odd;
  return x;
}

// y = x [K] times W, whose columns are given.
Both run_columns(const std::vector<std::vector<float>>& columns,
                 const std::vector<float>& x,
                 const Recipe& recipe = testing::all_sizes()) {
  const auto k = static_cast<int64_t>(x.size());
  const auto n = static_cast<int64_t>(columns.size());
  std::vector<float> w;
  for (size_t i = 0; i < x.size(); ++i)
    for (const auto& c : columns) w.push_back(c[i]);
  TinyModel m;
  m.input("x", DType::float32, {1, k});
  m.floats("W", {k, n}, w);
  m.node("MatMul", {"x", "W"}, {"y"}, "mm");
  m.output("y", DType::float32, {1, n});
  return run_both(m, feed("x", {1, k}, x), recipe);
}

// K alone would allow 66311; these have twice as many, and each sign by itself
// reaches what int32 holds. With inputs below zero the zero point is 255.
TEST(Depth, HoldsTheLargestSumsOfBothSignsAndZeroPoints) {
  OCTAVO_NEED_RUNTIME();
  const auto w = column(66311, 127, -127, 7);
  const auto most = static_cast<float>(255 * kMost);
  // All but the last weight, to the nearest float.
  const auto rest = static_cast<float>(255 * (kMost - 7));
  struct {
    float even, odd, want;
  } inputs[] = {
      {255, 0, most}, {0, 255, -rest}, {-255, 0, -most}, {0, -255, rest}};
  for (const auto& in : inputs) {
    Both b = run_columns({w}, alternating(w.size(), in.even, in.odd));
    EXPECT_EQ(b.after(), std::vector<float>{in.want});
    EXPECT_EQ(b.count("MatMulInteger"), 1);
  }
}

// Inputs of 256 keep float sums exact: multiples of 2^8 up to 2^31.
TEST(Depth, LeavesASumInFloatThatInt32WouldNotHold) {
  OCTAVO_NEED_RUNTIME();
  for (const float sign : {1.0f, -1.0f}) {
    const auto small = column(66311, 0, 0, 127);
    const auto w = column(66311, sign * 127, 0, sign * 8);
    Both b = run_columns({small, w}, alternating(w.size(), 256, 0));
    EXPECT_EQ(b.count("MatMul"), 1);
    EXPECT_EQ(b.after(),
              (std::vector<float>{256 * 127, sign * 256 * (kMost + 1)}));
    EXPECT_EQ(b.plan.decisions[0].reason,
              "stored as int8 only: a sum of its 132624 products may come to "
              "255 times 8421505, and int32 holds 255 times 8421504");
  }
}

// 64 * 66312 in place of 127 * 66312, with a scale of 127 / 64.
TEST(Depth, GoesDeeperInTheReducedRange) {
  OCTAVO_NEED_RUNTIME();
  const auto w = column(66311, 127, 0, 127);
  Both full = run_columns({w}, alternating(w.size(), 256, 0));
  EXPECT_EQ(full.count("MatMul"), 1);
  Recipe reduced = testing::all_sizes();
  reduced.reduce_range = true;
  Both b = run_columns({w}, alternating(w.size(), 255, 0), reduced);
  EXPECT_EQ(b.count("MatMulInteger"), 1);
  EXPECT_EQ(b.after(),
            std::vector<float>{static_cast<float>(255.0 * 127 * 66312)});
}

TEST(Depth, LeavesDeepWeightsWithNaNFloat) {
  OCTAVO_NEED_RUNTIME();
  auto w = column(66311, 127, 0, 127);
  w[77] = std::numeric_limits<float>::quiet_NaN();
  Both b = run_columns({w}, alternating(w.size(), 255, 0));
  EXPECT_EQ(b.plan.quantized, 0);
  EXPECT_NE(b.plan.decisions[0].reason.find("NaN or Inf"), std::string::npos);
}

// A deep product in every form; small weights behind one 127 keep all sums
// below 2^24, where float sums are exact as well.
TEST(Depth, IsExactInEveryForm) {
  OCTAVO_NEED_RUNTIME();
  constexpr int64_t k = 70001;  // odd, as a height of two matrices
  constexpr auto n = static_cast<size_t>(k);
  std::vector<float> x(n), by_rows(2 * n), by_columns(2 * n);
  int64_t want[2] = {0, 0};
  for (size_t i = 0; i < n; ++i) {
    x[i] = i == 5 ? 255 : static_cast<float>(i % 16);
    for (size_t c = 0; c < 2; ++c) {
      const auto w = i == 7 ? 127 : static_cast<int>((i * (c + 3) / 4) % 3) - 1;
      by_columns[c * n + i] = by_rows[2 * i + c] = static_cast<float>(w);
      want[c] += w * static_cast<int64_t>(x[i]);
    }
  }
  const std::vector<float> y = {static_cast<float>(want[0]),
                                static_cast<float>(want[1])};
  struct {
    const char* name;
    Shape x;
    std::function<void(TinyModel&)> build;
  } forms[] = {
      {"MatMul",
       {1, k},
       [&](TinyModel& m) {
         m.floats("W", {k, 2}, by_rows);
         m.node("MatMul", {"x", "W"}, {"y"});
       }},
      {"constant left side",
       {k, 1},
       [&](TinyModel& m) {
         m.floats("W", {2, k}, by_columns);
         m.node("MatMul", {"W", "x"}, {"y"});
       }},
      {"Gemm",
       {1, k},
       [&](TinyModel& m) {
         m.floats("W", {2, k}, by_columns);
         set_int(m.node("Gemm", {"x", "W"}, {"y"}), "transB", 1);
       }},
      {"two matrices",
       {1, k},
       [&](TinyModel& m) {
         m.floats("W", {2, k, 1}, by_columns);
         m.node("MatMul", {"x", "W"}, {"y"});
       }},
      {"two matrices, turned over",
       {1, k},
       [&](TinyModel& m) {
         m.floats("W0", {2, 1, k}, by_columns);
         testing::set_ints(m.node("Transpose", {"W0"}, {"W"}), "perm",
                           {0, 2, 1});
         m.node("MatMul", {"x", "W"}, {"y"});
       }},
  };
  for (const auto& form : forms) {
    SCOPED_TRACE(form.name);
    TinyModel m;
    m.input("x", DType::float32, form.x);
    form.build(m);
    m.output("y", DType::float32);
    Both b = run_both(m, feed("x", form.x, x));
    EXPECT_EQ(b.after(), y);
    EXPECT_EQ(b.before(), y);
    EXPECT_EQ(b.count("MatMulInteger"), 1);
    EXPECT_EQ(b.plan.decisions[0].reason, "");
  }
}

// Each matrix, and each order of the payload, is summed by its own columns:
// the other way round every sum here would be within bounds.
TEST(Depth, SumsAlongTheProductsOfEachMatrix) {
  OCTAVO_NEED_RUNTIME();
  const auto small = column(66311, 0, 0, 127), deep = column(66311, 127, 0, 8);
  const auto k = static_cast<int64_t>(deep.size());
  std::vector<float> w = small;
  w.insert(w.end(), deep.begin(), deep.end());
  for (const bool turned : {false, true}) {
    TinyModel m;
    m.input("x", DType::float32, {1, k});
    m.floats("W0", turned ? Shape{2, 1, k} : Shape{2, k, 1}, w);
    if (turned)
      testing::set_ints(m.node("Transpose", {"W0"}, {"W"}), "perm", {0, 2, 1});
    m.node("MatMul", {"x", turned ? "W" : "W0"}, {"y"});
    m.output("y", DType::float32);
    Both b = run_both(m, feed("x", {1, k}, alternating(deep.size(), 256, 0)));
    EXPECT_EQ(b.count("MatMul"), 1);
    EXPECT_EQ(b.after(), (std::vector<float>{256 * 127, 256 * (kMost + 1)}));
    EXPECT_NE(b.plan.decisions[0].reason.find("255 times 8421505"),
              std::string::npos)
        << b.plan.decisions[0].reason;
  }
}

// All gates at their upper end: c = 1, h = tanh(1). A sum that overflowed would
// shut them.
TEST(Depth, IsHeldByAnLstm) {
  OCTAVO_NEED_RUNTIME();
  for (const float last : {7.0f, 8.0f}) {
    const auto row = column(66311, 127, 0, last);
    const auto k = static_cast<int64_t>(row.size());
    std::vector<float> w;
    for (int gate = 0; gate < 4; ++gate)
      w.insert(w.end(), row.begin(), row.end());
    TinyModel m;
    m.opset("com.microsoft", 1);
    m.input("x", DType::float32, {1, 1, k});
    m.floats("W", {1, 4, k}, w);
    m.floats("R", {1, 4, 1}, {1, 1, 1, 1});
    set_int(m.node("LSTM", {"x", "W", "R"}, {"", "h"}), "hidden_size", 1);
    m.output("h", DType::float32);
    Both b = run_both(m, feed("x", {1, 1, k}, alternating(row.size(), 255, 0)));
    EXPECT_NEAR(b.before()[0], 0.76159416f, 1e-5);
    EXPECT_NEAR(b.after()[0], 0.76159416f, 1e-5);
    EXPECT_EQ(b.count("DynamicQuantizeLSTM"), last == 7);
  }
}

}  // namespace
}  // namespace octavo
