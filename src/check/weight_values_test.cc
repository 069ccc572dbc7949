// Odd weights in every form, on the real runtime: none, zero, subnormal, tiny,
// huge, the largest floats, infinities and NaN.
//
// Ordinary weights and inputs have powers of two for scales (weight_forms.h),
// so that int8 must give the float answers exactly.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "testing/both.h"
#include "testing/weight_forms.h"

namespace octavo {
namespace {

using testing::Both;
using testing::feed;
using testing::fill;
using testing::Form;
using testing::forms;
using testing::ordinary;
using testing::run_both;
using testing::set_int;
using testing::TinyModel;

constexpr float kMax = std::numeric_limits<float>::max();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// The copy's answers to 255 and 3, or to 3 and 255, times `unit`.
Both run_form(const Form& form, const std::vector<float>& w, float unit = 1,
              bool turned = false) {
  TinyModel m;
  Feed f;
  if (form.table()) {
    m.input("ids", DType::int64, form.x);
    f.inputs.push_back(
        {"ids", make_tensor<int64_t>(DType::int64, form.x, {2, 0})});
  } else {
    m.input("x", DType::float32, form.x);
    std::vector<float> x(static_cast<size_t>(element_count(form.x)));
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = ((i % 2 == 0) != turned ? 255 : 3) * unit;
    f = feed("x", form.x, x);
  }
  m.floats("W", form.shape, w);
  form.add_to(m);
  m.output("y", DType::float32);
  Recipe recipe = testing::all_sizes();
  recipe.conv = form.conv;
  return run_both(m, f, recipe);
}

void expect_exact(const Form& form, const std::vector<float>& w,
                  float unit = 1) {
  for (const bool turned : {false, true}) {
    Both b = run_form(form, w, unit, turned);
    ASSERT_EQ(b.plan.decisions.size(), 1u);
    EXPECT_EQ(b.plan.decisions[0].action, form.action);
    EXPECT_EQ(b.after(), b.before());
    for (const float y : b.after()) EXPECT_TRUE(std::isfinite(y));
  }
}

TEST(WeightValues, OrdinaryOnesAreExact) {
  OCTAVO_NEED_RUNTIME();
  for (const Form& form : forms()) {
    SCOPED_TRACE(form.name());
    expect_exact(form, fill(form, ordinary));
  }
}

TEST(WeightValues, MayAllBeZero) {
  OCTAVO_NEED_RUNTIME();
  for (const Form& form : forms()) {
    SCOPED_TRACE(form.name());
    expect_exact(form, fill(form, [](size_t, size_t) { return 0.0f; }));
    expect_exact(form, fill(form, [](size_t, size_t) { return -0.0f; }));
    expect_exact(form, fill(form, [](size_t g, size_t i) {  // one channel
                   return g == 0 ? 0 : ordinary(g, i);
                 }));
  }
}

// The least scale that is a normal float, and a power of two just below 2^127.
TEST(WeightValues, MayBeTinyOrHuge) {
  OCTAVO_NEED_RUNTIME();
  for (const Form& form : forms()) {
    SCOPED_TRACE(form.name());
    for (const int exponent : {-126, 119}) {
      // Sums stay below 2 * 127 * 255 * 2^-8 * 2^119 < 2^127.
      const float unit = exponent > 0 ? std::ldexp(1.0f, -8) : 1;
      for (const bool all : {true, false})
        expect_exact(form,
                     fill(form,
                          [&](size_t g, size_t i) {
                            const float w = ordinary(g, i);
                            return all || g == 0 ? std::ldexp(w, exponent) : w;
                          }),
                     unit);
    }
  }
}

// Their scale would be no normal number; they become zeros.
TEST(WeightValues, MayBeSubnormal) {
  OCTAVO_NEED_RUNTIME();
  for (const Form& form : forms()) {
    SCOPED_TRACE(form.name());
    Both b = run_form(form, fill(form, [](size_t g, size_t i) {
                        return g == 0 ? (i % 2 == 0 ? 1e-42f : -1e-42f)
                                      : ordinary(g, i);
                      }));
    EXPECT_EQ(b.plan.decisions.at(0).action, form.action);
    const auto before = b.before(), after = b.after();
    for (size_t k = 0; k < before.size(); ++k)
      EXPECT_EQ(after[k], std::fabs(before[k]) < 1e-38f ? 0 : before[k]);
  }
}

// As in a mask: 127 times the rounded scale of the largest float overflows.
TEST(WeightValues, MayBeTheLargestFloats) {
  OCTAVO_NEED_RUNTIME();
  for (const Form& form : forms()) {
    SCOPED_TRACE(form.name());
    for (const float most : {kMax, -kMax}) {
      Both b = run_form(
          form, fill(form, [&](size_t, size_t i) { return i == 0 ? most : 0; }),
          std::ldexp(1.0f, -8));
      EXPECT_EQ(b.plan.decisions.at(0).action, form.action);
      const auto before = b.before(), after = b.after();
      for (size_t k = 0; k < before.size(); ++k) {
        EXPECT_TRUE(std::isfinite(after[k]));
        EXPECT_NEAR(after[k], before[k], kMax * 1e-6);
      }
    }
  }
}

TEST(WeightValues, StayFloatWithNaNOrInf) {
  OCTAVO_NEED_RUNTIME();
  for (const Form& form : forms())
    for (const float bad : {kInf, -kInf, kNaN})
      for (const size_t place : {size_t{0}, size_t{1}}) {
        SCOPED_TRACE(form.name() + " " + std::to_string(bad));
        Both b = run_form(form, fill(form, [&](size_t g, size_t i) {
                            return g == 0 && i == place ? bad : ordinary(g, i);
                          }));
        EXPECT_EQ(b.plan.quantized, 0);
        EXPECT_NE(b.plan.decisions.at(0).reason.find("'W' holds NaN or Inf"),
                  std::string::npos)
            << b.plan.decisions.at(0).reason;
        EXPECT_EQ(std::memcmp(b.original[0].tensor.bytes.data(),
                              b.copy[0].tensor.bytes.data(),
                              b.copy[0].tensor.bytes.size()),
                  0);
      }
}

// LSTM, GRU and RNN of two units with their weights W and R, where a row of
// gates is a group. Ordinary weights are times 2^-10.
struct Recurrent {
  const char* op;
  size_t gates;
  Action action;
};
constexpr Recurrent kRecurrent[] = {{"LSTM", 4, Action::dynamic_lstm},
                                    {"GRU", 3, Action::storage},
                                    {"RNN", 1, Action::storage}};

Both run_recurrent(const Recurrent& form, const std::vector<float>& w,
                   const std::vector<float>& r) {
  TinyModel m;
  m.opset("com.microsoft", 1);
  const auto rows = static_cast<int64_t>(form.gates * 2);
  m.input("x", DType::float32, {2, 1, 2});
  m.floats("W", {1, rows, 2}, w);
  m.floats("R", {1, rows, 2}, r);
  set_int(m.node(form.op, {"x", "W", "R"}, {"y"}), "hidden_size", 2);
  m.output("y", DType::float32);
  const float unit = std::ldexp(1.0f, -8);
  return run_both(
      m, feed("x", {2, 1, 2}, {255 * unit, 3 * unit, 77 * unit, 255 * unit}));
}

std::vector<float> rows(const Recurrent& form,
                        const std::function<float(size_t, size_t)>& value) {
  std::vector<float> w;
  for (size_t g = 0; g < form.gates * 2; ++g)
    for (size_t i = 0; i < 2; ++i) w.push_back(value(g, i));
  return w;
}

float small(size_t g, size_t i) { return std::ldexp(ordinary(g, i), -10); }

// Storage is exact. The state of an LSTM is cut into 255 steps of at most 2 /
// 255: half of that wrong, times a row's weights of 129 * 2^-10, twice over.
void expect_same(const Recurrent& form, Both& b) {
  EXPECT_EQ(b.plan.decisions.at(0).action, form.action);
  for (size_t k = 0; k < b.after().size(); ++k) {
    EXPECT_TRUE(std::isfinite(b.after()[k]));
    EXPECT_NEAR(b.after()[k], b.before()[k],
                form.action == Action::storage ? 0 : 2e-3);
  }
}

TEST(WeightValues, OfRecurrentNodesMayBeOdd) {
  OCTAVO_NEED_RUNTIME();
  for (const Recurrent& form : kRecurrent) {
    SCOPED_TRACE(form.op);
    const std::function<float(size_t, size_t)> odd[] = {
        small,
        [](size_t, size_t) { return 0.0f; },
        [](size_t g, size_t i) { return g == 0 ? 0.0f : small(g, i); },
        [](size_t g, size_t i) { return g == 0 ? 1e-42f : small(g, i); },
        [](size_t g, size_t i) {
          return std::ldexp(std::fabs(ordinary(g, i)), 119);
        },
        [](size_t g, size_t i) { return g == 0 && i == 0 ? kMax : 0; },
    };
    for (size_t i = 0; i < std::size(odd); ++i) {
      SCOPED_TRACE(i);
      Both b = run_recurrent(form, rows(form, odd[i]), rows(form, small));
      expect_same(form, b);
    }
    Both b = run_recurrent(form, rows(form, small), rows(form, odd[1]));
    expect_same(form, b);
  }
}

TEST(WeightValues, OfRecurrentNodesStayFloatWithNaNOrInf) {
  OCTAVO_NEED_RUNTIME();
  for (const Recurrent& form : kRecurrent)
    for (const float bad : {kInf, kNaN})
      for (const bool in_w : {true, false}) {
        SCOPED_TRACE(std::string(form.op) + (in_w ? " W" : " R"));
        const auto fine = rows(form, small);
        auto spoilt = fine;
        spoilt[1] = bad;
        Both b =
            run_recurrent(form, in_w ? spoilt : fine, in_w ? fine : spoilt);
        // The other weight may be stored.
        EXPECT_EQ(b.plan.decisions.at(0).action, Action::storage);
        EXPECT_EQ(b.plan.decisions[0].weights,
                  std::vector<std::string>{in_w ? "R" : "W"});
        EXPECT_EQ(b.plan.decisions[0].reason,
                  std::string("one of its weights stays float: its weight '") +
                      (in_w ? "W" : "R") +
                      "' holds NaN or Inf, which int8 cannot");
        EXPECT_EQ(std::memcmp(b.original[0].tensor.bytes.data(),
                              b.copy[0].tensor.bytes.data(),
                              b.copy[0].tensor.bytes.size()),
                  0);
      }
}

// A part of a weight, stored where it stands.
TEST(WeightValues, CutFromPartsStayFloatWithNaN) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {2, 1, 2});
  auto part = rows(kRecurrent[2], small);
  m.floats("R", {1, 2, 2}, part);
  m.floats("B", {1, 1, 2}, {1, 0.5f});
  m.floats("A", {1, 1, 2}, {1, kNaN});
  set_int(m.node("Concat", {"A", "B"}, {"W"}), "axis", 1);
  set_int(m.node("RNN", {"x", "W", "R"}, {"y"}), "hidden_size", 2);
  m.output("y", DType::float32);
  Both b = run_both(m, feed("x", {2, 1, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(b.plan.decisions.at(0).weights, std::vector<std::string>{"R"});
  EXPECT_NE(b.plan.decisions[0].reason.find("'A' holds NaN or Inf"),
            std::string::npos)
      << b.plan.decisions[0].reason;
  EXPECT_EQ(std::memcmp(b.original[0].tensor.bytes.data(),
                        b.copy[0].tensor.bytes.data(), 16),
            0);
}

}  // namespace
}  // namespace octavo
