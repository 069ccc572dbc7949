#include "graph/switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

#include "octavo/quantize.h"
#include "testing/both.h"

namespace octavo {
namespace {

using testing::TinyModel;

// Two layers whose answers are known exactly. For x = [0, 255] the first has
// scales of 1: p = [510, -32385]. DynamicQuantizeLinear gives p a scale of
// 32895 / 255 = 129: the second sees [4, -251] x 129 = [516, -32379] in int8.
void add_two_layers(TinyModel& m) {
  m.input("x", DType::float32, {1, 2});
  m.floats("W1", {2, 2}, {127, 1, 2, -127});
  m.floats("W2", {2, 2}, {127, 0, 0, 127});
  m.node("MatMul", {"x", "W1"}, {"p"}, "one");
  m.node("MatMul", {"p", "W2"}, {"q"}, "two");
  m.output("q", DType::float32, {1, 2});
}

struct Switched {
  std::vector<std::string> inputs;
  std::unique_ptr<Runner> runner;
};

Switched make_switched(const std::string& original, const std::string& other,
                       const std::vector<int>& nodes) {
  QuantizeOptions options;
  options.recipe = testing::all_sizes();
  const auto quantized =
      quantize_bytes(testing::as_bytes(other), options).model;
  Model before = open_model(testing::as_bytes(original));
  const Model after = open_model(quantized);
  Switched s;
  s.inputs = add_switches(before, after, nodes);
  s.runner = open_session(testing::runtime_or_null(), write_model(before));
  return s;
}

std::vector<float> run(const Switched& s, const std::vector<bool>& use) {
  Feed feed = testing::feed("x", {1, 2}, {0, 255});
  for (size_t i = 0; i < use.size(); ++i)
    if (!s.inputs[i].empty())
      feed.inputs.emplace_back(s.inputs[i],
                               make_tensor<bool>(DType::boolean, {}, {use[i]}));
  const auto out = s.runner->run(feed);
  const auto span = out.at(0).tensor.as<float>();
  return {span.begin(), span.end()};
}

TEST(Switch, ComputesEveryMixtureInOneSession) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  add_two_layers(m);
  const Switched s = make_switched(m.bytes(), m.bytes(), {0, 1});
  ASSERT_EQ(s.inputs.size(), 2);
  const std::vector<float> exact = {510 * 127, -32385 * 127},
                           second = {516 * 127, -32379 * 127};
  EXPECT_EQ(run(s, {false, false}), exact);
  EXPECT_EQ(run(s, {true, false}), exact);
  EXPECT_EQ(run(s, {false, true}), second);
  EXPECT_EQ(run(s, {true, true}), second);
}

// The weights come from the copy, though they have the original's names.
TEST(Switch, TakesTheCopysOwnWeights) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m, other;
  add_two_layers(m);
  other.input("x", DType::float32, {1, 2});
  other.floats("W1", {2, 2}, {127, 1, 2, -127});
  other.floats("W2", {2, 2}, {0, 127, 127, 0});
  other.node("MatMul", {"x", "W1"}, {"p"}, "one");
  other.node("MatMul", {"p", "W2"}, {"q"}, "two");
  other.output("q", DType::float32, {1, 2});
  const Switched s = make_switched(m.bytes(), other.bytes(), {1});
  EXPECT_EQ(run(s, {false}), (std::vector<float>{510 * 127, -32385 * 127}));
  EXPECT_EQ(run(s, {true}), (std::vector<float>{-32379 * 127, 516 * 127}));
}

TEST(Switch, GivesAllOutputsOfALayer) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {2, 1, 4});
  m.floats("W", {1, 16, 4}, std::vector<float>(64, 0.25F));
  m.floats("R", {1, 16, 4}, std::vector<float>(64, -0.5F));
  auto& lstm = m.node("LSTM", {"x", "W", "R"}, {"Y", "", "Yc"}, "lstm");
  testing::set_int(lstm, "hidden_size", 4);
  m.output("Y", DType::float32, {2, 1, 1, 4});
  m.output("Yc", DType::float32, {1, 1, 4});
  const Switched s = make_switched(m.bytes(), m.bytes(), {0});
  ASSERT_NE(s.inputs[0], "");
  QuantizeOptions options;
  options.recipe = testing::all_sizes();
  const std::string bytes = m.bytes();
  const auto copy = quantize_bytes(testing::as_bytes(bytes), options).model;
  Feed feed = testing::feed("x", {2, 1, 4}, {1, 2, 3, 4, -1, 0, 1, 2});
  const auto want = testing::run_bytes(copy, feed);
  const auto plain = testing::run_bytes(testing::as_bytes(bytes), feed);
  for (const bool use : {false, true}) {
    Feed with = feed;
    with.inputs.emplace_back(s.inputs[0],
                             make_tensor<bool>(DType::boolean, {}, {use}));
    const auto got = s.runner->run(with);
    for (size_t o = 0; o < 2; ++o) {
      const auto a = got[o].tensor.as<float>();
      const auto b = (use ? want : plain)[o].tensor.as<float>();
      ASSERT_EQ(a.size(), b.size());
      for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6);
    }
  }
}

// A layer that the copy computes in a body cannot be taken out.
TEST(Switch, LeavesALayerThatCannotBeSwitched) {
  TinyModel m, other;
  add_two_layers(m);
  other.input("x", DType::float32, {1, 2});
  other.init<uint8_t>("yes", DType::boolean, {}, {1});
  auto& choice = other.node("If", {"yes"}, {"q"}, "choice");
  for (const char* name : {"then_branch", "else_branch"}) {
    auto body = testing::add_graph(choice, name);
    body.node("Identity", {"x"}, {std::string("y_") + name});
    body.output(std::string("y_") + name, DType::float32, {1, 2});
  }
  other.output("q", DType::float32, {1, 2});
  const std::string bytes = m.bytes(), copy = other.bytes();
  Model before = open_model(testing::as_bytes(bytes));
  const Model after = open_model(testing::as_bytes(copy));
  EXPECT_THAT(add_switches(before, after, {0, 1}),
              ::testing::ElementsAre("", ""));
  EXPECT_EQ(before.data().proto.graph().node_size(), 2);
  EXPECT_EQ(before.data().proto.graph().input_size(), 1);
}

}  // namespace
}  // namespace octavo
