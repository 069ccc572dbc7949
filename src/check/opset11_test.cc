// Conversion to opset 11, on the real runtime: each operator that gets a new
// form gives, in float, the very same bits as before.
#include "graph/opset11.h"

#include <gtest/gtest.h>

#include <functional>

#include "testing/both.h"

namespace octavo {
namespace {

using testing::feed;
using testing::set_float;
using testing::set_int;
using testing::set_ints;
using testing::set_string;
using testing::TinyGraph;
using testing::TinyModel;

struct Case {
  const char* name;
  std::vector<int64_t> opsets;
  std::function<void(TinyGraph&)> build;  // x [1,2,4,4] -> y
};

void set_floats(onnx::NodeProto& n, const char* name,
                const std::vector<float>& values) {
  auto& a = testing::attribute(n, name);
  a.set_type(onnx::AttributeProto::FLOATS);
  for (const float v : values) a.add_floats(v);
}

const Case kCases[] = {
    {"Slice",
     {7, 8, 9},
     [](TinyGraph& m) {
       auto& n = m.node("Slice", {"x"}, {"y"}, "s");
       set_ints(n, "starts", {1, -3});
       set_ints(n, "ends", {2, 1000});
       set_ints(n, "axes", {1, 3});
     }},
    {"Slice without axes",
     {7, 9},
     [](TinyGraph& m) {
       auto& n = m.node("Slice", {"x"}, {"y"}, "s");
       set_ints(n, "starts", {0, 1});
       set_ints(n, "ends", {1, 2});
     }},
    {"Clip",
     {7, 9, 10},
     [](TinyGraph& m) {
       auto& n = m.node("Clip", {"x"}, {"y"});
       set_float(n, "min", -0.5f);
       set_float(n, "max", 2);
     }},
    {"Clip with one bound",
     {7, 10},
     [](TinyGraph& m) { set_float(m.node("Clip", {"x"}, {"y"}), "max", 1); }},
    {"Clip without bounds",
     {7, 10},
     [](TinyGraph& m) { m.node("Clip", {"x"}, {"y"}); }},
    {"Pad",
     {7, 10},
     [](TinyGraph& m) {
       auto& n = m.node("Pad", {"x"}, {"y"});
       set_ints(n, "pads", {0, 0, 1, 2, 0, 1, 0, 1});
       set_float(n, "value", 3);
     }},
    {"Pad that reflects",
     {7, 10},
     [](TinyGraph& m) {
       auto& n = m.node("Pad", {"x"}, {"y"});
       set_string(n, "mode", "reflect");
       set_ints(n, "pads", {0, 0, 1, 2, 0, 0, 1, 1});
     }},
    {"TopK",
     {7, 9},
     [](TinyGraph& m) {
       auto& n = m.node("TopK", {"x"}, {"y", "indices"});
       set_int(n, "k", 2);
     }},
    {"TopK by input",
     {10},
     [](TinyGraph& m) {
       m.constant<int64_t>("k", DType::int64, {1}, {3});
       m.node("TopK", {"x", "k"}, {"y", "indices"});
     }},
    {"Upsample",
     {7, 8},
     [](TinyGraph& m) {
       set_floats(m.node("Upsample", {"x"}, {"y"}), "scales", {1, 1, 2, 1.5f});
     }},
    {"Upsample, linear",
     {7, 8},
     [](TinyGraph& m) {
       auto& n = m.node("Upsample", {"x"}, {"y"});
       set_floats(n, "scales", {1, 1, 2, 3});
       set_string(n, "mode", "linear");
     }},
    {"Upsample by input",
     {9},
     [](TinyGraph& m) {
       m.constant<float>("s", DType::float32, {4}, {1, 1, 3, 2.5f});
       m.node("Upsample", {"x", "s"}, {"y"});
     }},
    {"Resize",
     {10},
     [](TinyGraph& m) {
       m.constant<float>("s", DType::float32, {4}, {1, 1, 2, 1.7f});
       m.node("Resize", {"x", "s"}, {"y"});
     }},
    {"Resize, linear",
     {10},
     [](TinyGraph& m) {
       m.constant<float>("s", DType::float32, {4}, {1, 1, 2, 1.7f});
       set_string(m.node("Resize", {"x", "s"}, {"y"}), "mode", "linear");
     }},
    {"Scatter",
     {9, 10},
     [](TinyGraph& m) {
       m.constant<int64_t>("i", DType::int64, {1, 1, 1, 2}, {1, 0});
       m.constant<float>("u", DType::float32, {1, 1, 1, 2}, {8, 9});
       set_int(m.node("Scatter", {"x", "i", "u"}, {"y"}), "axis", 2);
     }},
    {"BatchNormalization",
     {7, 8},
     [](TinyGraph& m) {
       for (const char* name : {"scale", "bias", "mean", "var"})
         m.constant<float>(name, DType::float32, {2}, {0.5f, 2});
       set_int(m.node("BatchNormalization",
                      {"x", "scale", "bias", "mean", "var"}, {"y"}),
               "spatial", 1);
     }},
    {"in a body",
     {7, 9},
     [](TinyGraph& m) {
       m.constant<uint8_t>("yes", DType::boolean, {}, {1});
       auto& branch = m.node("If", {"yes"}, {"y"});
       for (const char* name : {"then_branch", "else_branch"}) {
         auto body = testing::add_graph(branch, name);
         const std::string out = std::string("z") + name;
         set_float(body.node("Clip", {"x"}, {out}), "min", 0);
         body.output(out, DType::float32);
       }
     }},
    {"what stays",
     {7, 10},
     [](TinyGraph& m) {
       m.node("Softmax", {"x"}, {"a"});
       set_ints(m.node("ReduceMean", {"a"}, {"b"}), "axes", {2});
       set_int(m.node("Flatten", {"b"}, {"c"}), "axis", 1);
       m.node("Dropout", {"c"}, {"y"});
     }},
};

TEST(Opset11, GivesTheSameBits) {
  OCTAVO_NEED_RUNTIME();
  std::vector<float> x(32);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>((i * 7) % 13) - 5.25f;
  for (const Case& c : kCases)
    for (const int64_t opset : c.opsets) {
      SCOPED_TRACE(std::string(c.name) + ", opset " + std::to_string(opset));
      TinyModel m(opset, 4);
      m.input("x", DType::float32, {1, 2, 4, 4});
      c.build(m);
      m.output("y", DType::float32);
      const std::string before = m.bytes();
      ModelData data;
      data.proto = m.model();
      const Converted result = convert_to_opset11(data);
      EXPECT_EQ(result.obstacle, "");
      EXPECT_EQ(data.proto.opset_import(0).version(), 11);
      const std::string after = data.proto.SerializeAsString();
      for (const auto level : {Optimization::disabled, Optimization::all}) {
        const Feed f = feed("x", {1, 2, 4, 4}, x);
        const auto a = testing::run_bytes(testing::as_bytes(before), f, level);
        const auto b = testing::run_bytes(testing::as_bytes(after), f, level);
        EXPECT_EQ(a.at(0).tensor.shape, b.at(0).tensor.shape);
        EXPECT_EQ(a.at(0).tensor.bytes, b.at(0).tensor.bytes);
      }
    }
}

struct Obstacle {
  const char* words;
  int64_t opset;
  std::function<void(TinyGraph&)> build;
};

const Obstacle kObstacles[] = {
    {"its Upsample 'u' does not only enlarge", 7,
     [](TinyGraph& m) {
       set_floats(m.node("Upsample", {"x"}, {"y"}, "u"), "scales",
                  {1, 1, 0.5f, 2});
     }},
    {"a Resize does not only enlarge, by constant factors", 10,
     [](TinyGraph& m) {
       m.input("s", DType::float32, {4});
       m.node("Resize", {"x", "s"}, {"y"});
     }},
    {"is not spatial", 7,
     [](TinyGraph& m) {
       set_int(m.node("BatchNormalization", {"x", "a", "a", "a", "a"}, {"y"}),
               "spatial", 0);
     }},
    {"gives its mask", 7,
     [](TinyGraph& m) { m.node("Dropout", {"x"}, {"y", "mask"}); }},
    {"takes batches", 8,
     [](TinyGraph& m) { m.node("Scan", {"", "x"}, {"y"}); }},
    {"a DynamicSlice is no operator whose change is known", 7,
     [](TinyGraph& m) { m.node("DynamicSlice", {"x"}, {"y"}); }},
    {"a type that is not declared", 7,
     [](TinyGraph& m) {
       set_int(m.node("Cast", {"x"}, {"h"}), "to", 10);
       m.node("Clip", {"h"}, {"y"});
     }},
};

TEST(Opset11, ChangesNothingWhereSomethingStandsInTheWay) {
  for (const Obstacle& o : kObstacles) {
    TinyModel m(o.opset, 4);
    m.input("x", DType::float32, {1, 2, 4, 4});
    o.build(m);
    m.output("y", DType::float32);
    const std::string before = m.bytes();
    ModelData data;
    data.proto = m.model();
    EXPECT_NE(convert_to_opset11(data).obstacle.find(o.words),
              std::string::npos)
        << convert_to_opset11(data).obstacle;
    EXPECT_EQ(data.proto.SerializeAsString(), before);
  }
}

TEST(Opset11, IsGivenUpAsAWholeAndSaysWhy) {
  TinyModel m(9, 4);
  testing::add_m0(m);
  auto& n = m.node("Upsample", {"y"}, {"z"}, "up");
  (void)n;
  m.output("z", DType::float32);
  const std::string bytes = m.bytes();
  QuantizeOptions options;
  options.recipe.min_bytes = 0;
  const auto q = quantize_bytes(testing::as_bytes(bytes), options);
  EXPECT_EQ(q.plan.converted_from, 0);
  ASSERT_EQ(q.plan.decisions.size(), 1u);
  EXPECT_EQ(q.plan.decisions[0].action, Action::storage);
  EXPECT_EQ(q.plan.decisions[0].reason,
            "stored as int8 only: opset 9 has no DynamicQuantizeLinear, which "
            "came with 11; the model cannot be converted, because its Upsample "
            "'up' does not only enlarge, by constant factors");
}

}  // namespace
}  // namespace octavo
