#include "octavo/inspect.h"

#include <gtest/gtest.h>

#include "octavo/quantize.h"
#include "testing/tiny_model.h"

namespace octavo {
namespace {

using testing::TinyModel;

// One node of each action, in a body as well.
void build(TinyModel& m) {
  m.model().set_producer_version("3");
  m.input("x", DType::float32, {-1, 8});
  m.input("image", DType::float32, {1, 1, 4, 4});
  m.input("ids", DType::int64, {-1});
  m.input("c", DType::boolean, {});
  m.floats("W", {8, 8}, std::vector<float>(64, 0.5f));
  m.floats("V", {8, 8}, std::vector<float>(64, 0.25f));
  m.floats("K", {2, 1, 3, 3}, std::vector<float>(18, 0.5f));
  m.constant<float>("E", DType::float32, {16, 8}, std::vector<float>(128, 1));
  m.node("MatMul", {"x", "W"}, {"h"}, "first");
  auto& branch = m.node("If", {"c"}, {"y"}, "if");
  for (const char* name : {"then_branch", "else_branch"}) {
    auto body = testing::add_graph(branch, name);
    body.node("MatMul", {"h", "V"}, {"inner"}, "in body");
    body.output("inner", DType::float32);
  }
  m.node("Conv", {"image", "K"}, {"features"}, "conv");
  m.node("Gather", {"E", "ids"}, {"rows"}, "embed");
  m.output("y", DType::float32, {-1, 8});
  m.output("features", DType::float32);
  m.output("rows", DType::float32);
}

TEST(Inspect, CountsWhatIsThere) {
  TinyModel m;
  build(m);
  m.opset("my.own", 4);
  m.node("Thing", {"rows"}, {"unused"}, "", "my.own");
  const std::string bytes = m.bytes();
  const Inspection i = inspect(open_model(testing::as_bytes(bytes)));
  EXPECT_EQ(i.producer, "tiny 3");
  EXPECT_EQ(i.ir_version, 8);
  EXPECT_EQ(i.opsets, (std::vector<std::pair<std::string, int64_t>>{
                          {"ai.onnx", 17}, {"my.own", 4}}));
  EXPECT_EQ(i.inputs, (std::vector<std::string>{"x: float32[?,8]",
                                                "image: float32[1,1,4,4]",
                                                "ids: int64[?]", "c: bool[]"}));
  EXPECT_EQ(i.outputs[1], "features: float32 of any shape");
  EXPECT_EQ(i.graphs, 3);
  EXPECT_EQ(i.nodes, 8);  // Constant, 3 MatMul, If, Conv, Gather, Thing
  EXPECT_EQ(i.operators.at("MatMul"), 3);
  EXPECT_EQ(i.operators.at("my.own::Thing"), 1);
  EXPECT_EQ(i.weight_bytes, 4 * (64 + 64 + 18 + 128));
  EXPECT_EQ(i.by_operator.at("MatMul").bytes, 4 * 128);
  EXPECT_EQ(i.by_operator.at("Gather").bytes, 4 * 128);
  EXPECT_EQ(i.by_type.at("float32").tensors, 4);
  ASSERT_EQ(i.tensors.size(), 4u);
  EXPECT_EQ(i.tensors[0].name, "E");
  EXPECT_EQ(i.tensors[0].user, "Gather");
  EXPECT_EQ(i.tensors[3].shape, (Shape{2, 1, 3, 3}));
  EXPECT_TRUE(i.quantized.empty());
  ASSERT_EQ(i.hazards.size(), 1u);
  EXPECT_EQ(i.hazards[0],
            "ONNX Runtime needs a library for my.own::Thing: --custom-ops.");
}

TEST(Inspect, FollowsEachNodeIntoItsCopy) {
  TinyModel m;
  build(m);
  const std::string bytes = m.bytes();
  QuantizeOptions options;
  options.recipe.min_bytes = 0;
  options.recipe.exclude = {"first"};
  const QuantizedBytes q = quantize_bytes(testing::as_bytes(bytes), options);
  const Model before = open_model(testing::as_bytes(bytes));
  const Model after = open_model(q.model);
  std::vector<std::string> got;
  for (const Change& c : changes(before, after))
    got.push_back(c.scope + (c.scope.empty() ? "" : " / ") + c.node + ": " +
                  c.before + " -> " + c.after + (c.quantized ? " *" : ""));
  EXPECT_EQ(got, (std::vector<std::string>{
                     "first: MatMul -> MatMul",
                     "conv: Conv -> Conv of int8 storage *",
                     "embed: Gather -> int8 table *",
                     "if.then_branch / in body: MatMul -> MatMulInteger *",
                     "if.else_branch / in body: MatMul -> MatMulInteger *"}));
  EXPECT_EQ(inspect(after).quantized,
            (std::map<std::string, int64_t>{
                {"MatMulInteger", 2}, {"int8 storage", 1}, {"int8 table", 1}}));
  for (const Change& c : changes(before, before)) EXPECT_FALSE(c.quantized);
}

// Below opset 11 products are stored; a weight of them may be a vector.
TEST(Inspect, KnowsAStoredVector) {
  TinyModel m(10, 5);
  m.input("x", DType::float32, {1, 2});
  m.floats("w", {2}, {1, 2});
  m.node("MatMul", {"x", "w"}, {"y"}, "mm");
  m.output("y", DType::float32);
  const std::string bytes = m.bytes();
  QuantizeOptions options;
  options.recipe.min_bytes = 0;
  const QuantizedBytes q = quantize_bytes(testing::as_bytes(bytes), options);
  const auto got =
      changes(open_model(testing::as_bytes(bytes)), open_model(q.model));
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].after, "MatMul of int8 storage");
  EXPECT_TRUE(got[0].quantized);
}

// A copy that somebody else made, with other names behind the same outputs,
// and one that has nothing in common.
TEST(Inspect, JudgesByValuesAndNotByNames) {
  TinyModel a, b, c;
  for (TinyModel* m : {&a, &b, &c}) m->input("x", DType::float32, {1, 2});
  a.floats("W", {2, 2}, {1, 2, 3, 4});
  a.node("MatMul", {"x", "W"}, {"y"}, "mm");
  a.output("y", DType::float32);
  b.init<int8_t>("q", DType::int8, {2, 2}, {1, 2, 3, 4});
  b.floats("s", {}, {1});
  b.node("DynamicQuantizeLinear", {"x"}, {"u", "us", "uz"});
  b.node("MatMulInteger", {"u", "q", "uz"}, {"p"}, "other name");
  testing::set_int(b.node("Cast", {"p"}, {"f"}), "to", 1);
  b.node("Mul", {"us", "s"}, {"t"});
  b.node("Mul", {"f", "t"}, {"y"});
  b.output("y", DType::float32);
  c.node("Relu", {"x"}, {"z"});
  c.output("z", DType::float32);
  const std::string x = a.bytes(), y = b.bytes(), z = c.bytes();
  const Model before = open_model(testing::as_bytes(x));
  EXPECT_EQ(changes(before, open_model(testing::as_bytes(y)))[0].after,
            "MatMulInteger");
  EXPECT_EQ(changes(before, open_model(testing::as_bytes(z)))[0].after, "gone");
}

}  // namespace
}  // namespace octavo
