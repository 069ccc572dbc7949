// Operators of com.microsoft that optimizers write, on the real runtime: the
// original is the reference. Weights and inputs lie on the int8 grid, so int8
// loses nothing: products and stored weights must give the same answers, and
// attention, which computes on in float, the same up to float's rounding.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "model/data.h"
#include "testing/both.h"

namespace octavo {
namespace {

using testing::Both;
using testing::feed;
using testing::run_both;
using testing::set_float;
using testing::set_int;
using testing::set_string;
using testing::TinyModel;

constexpr const char* kMs = "com.microsoft";

// Integers from -127 to 127, with a 127 in each row and each column of
// matrices with `columns` columns, times `unit`, a power of two.
std::vector<float> grid(size_t n, size_t columns, float unit = 1) {
  std::mt19937 rng(7);
  std::vector<float> v(n);
  for (float& x : v)
    x = static_cast<float>(static_cast<int>(rng() % 255) - 127);
  const size_t rows = n / columns;
  for (size_t i = 0; i < std::max(rows, columns); ++i)
    v[(i % rows) * columns + i % columns] = 127;
  for (float& x : v) x *= unit;
  return v;
}

// Integers from 0 to 255, both among them: a scale of exactly 1.
std::vector<float> inputs(size_t n) {
  std::mt19937 rng(11);
  std::vector<float> v(n);
  for (float& x : v) x = static_cast<float>(rng() % 256);
  v[0] = 0;
  v[n - 1] = 255;
  return v;
}

void expect_near(const std::vector<float>& got, const std::vector<float>& want,
                 float relative) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], want[i], relative * (1 + std::fabs(want[i]))) << i;
}

struct Fused {
  const char* name;
  Shape x, w;
  float alpha;
  std::vector<const char*> set;  // attributes that are 1
  bool integer;
  bool left = false;
};

TEST(FusedMatMulCopy, HonoursAlphaAndWhatIsTurnedOver) {
  OCTAVO_NEED_RUNTIME();
  for (const Fused& f : std::vector<Fused>{
           {"plain", {2, 4}, {4, 3}, 1, {}, true},
           {"alpha", {2, 4}, {4, 3}, 0.5f, {}, true},
           {"right", {2, 4}, {3, 4}, 0.25f, {"transB"}, true},
           {"left", {4, 2}, {4, 3}, 2, {"transA"}, true},
           {"both, in batches",
            {2, 4, 2},
            {2, 3, 4},
            2,
            {"transA", "transB"},
            true},
           {"batches", {2, 5, 4}, {4, 2, 3}, 2, {"transBatchB"}, false},
           {"constant on the left", {3, 2}, {4, 3}, 1, {}, false, true},
       }) {
    SCOPED_TRACE(f.name);
    TinyModel m;
    m.opset(kMs, 1);
    m.input("x", DType::float32, f.x);
    const size_t n = static_cast<size_t>(element_count(f.w));
    std::vector<float> w = grid(n, static_cast<size_t>(f.w.back()));
    if (f.w.size() == 3)  // whichever way it is cut into groups
      for (float& v : w) v = v < 0 ? -127.0f : 127.0f;
    m.floats("W", f.w, w);
    auto& node = f.left ? m.node("FusedMatMul", {"W", "x"}, {"y"}, "mm", kMs)
                        : m.node("FusedMatMul", {"x", "W"}, {"y"}, "mm", kMs);
    if (f.alpha != 1) set_float(node, "alpha", f.alpha);
    for (const char* a : f.set) set_int(node, a, 1);
    m.output("y", DType::float32);
    Both b = run_both(
        m, feed("x", f.x, inputs(static_cast<size_t>(element_count(f.x)))));
    EXPECT_EQ(b.after(), b.before());
    EXPECT_EQ(b.plan.quantized, 1);
    EXPECT_EQ(b.count("MatMulInteger"), f.integer);
    EXPECT_EQ(b.count("FusedMatMul"), !f.integer);
  }
}

TEST(FusedMatMulCopy, IsStoredWhereTheRankOfWhatIsTurnedIsUnknown) {
  TinyModel m;
  m.opset(kMs, 1);
  m.input("x", DType::float32, {4, 2});
  m.node("Mystery", {"x"}, {"h"}, "", "my.ops");
  m.floats("W", {4, 3}, grid(12, 3));
  set_int(m.node("FusedMatMul", {"h", "W"}, {"y"}, "mm", kMs), "transA", 1);
  m.output("y", DType::float32);
  const std::string bytes = m.bytes();
  const Plan plan =
      make_plan(open_model(testing::as_bytes(bytes)), testing::all_sizes());
  EXPECT_EQ(plan.quantized, 1);
  EXPECT_EQ(plan.decisions.back().reason,
            "stored as int8 only: the rank of its left side is not declared");
}

TEST(FusedGemmCopy, KeepsTheActivation) {
  OCTAVO_NEED_RUNTIME();
  for (const char* activation :
       {"Relu", "Sigmoid", "Tanh", "Softplus", "Softsign"}) {
    SCOPED_TRACE(activation);
    TinyModel m;
    m.opset(kMs, 1);
    m.input("x", DType::float32, {2, 4});
    // Small enough that no activation is flat: the scale is 2^-14.
    m.floats("W", {3, 4}, grid(12, 4, 1.0f / 16384));
    m.floats("c", {3}, {1, -2, 0.5f});
    auto& node = m.node("FusedGemm", {"x", "W", "c"}, {"y"}, "fc", kMs);
    set_string(node, "activation", activation);
    set_int(node, "transB", 1);
    set_float(node, "alpha", 0.5f);
    set_float(node, "beta", 2);
    m.output("y", DType::float32);
    Both b = run_both(m, feed("x", {2, 4}, inputs(8)));
    expect_near(b.after(), b.before(), 1e-6f);
    EXPECT_EQ(b.count("MatMulInteger"), 1);
    EXPECT_EQ(b.count(activation), 1);
  }
}

TEST(FusedGemmCopy, IsStoredWithAnActivationThatIsNotKnown) {
  TinyModel m;
  m.opset(kMs, 1);
  m.input("x", DType::float32, {2, 4});
  m.floats("W", {4, 3}, grid(12, 3));
  set_string(m.node("FusedGemm", {"x", "W"}, {"y"}, "fc", kMs), "activation",
             "LeakyRelu");
  m.output("y", DType::float32);
  const std::string bytes = m.bytes();
  const Plan plan =
      make_plan(open_model(testing::as_bytes(bytes)), testing::all_sizes());
  EXPECT_EQ(plan.decisions[0].action, Action::storage);
  EXPECT_NE(plan.decisions[0].reason.find("'LeakyRelu'"), std::string::npos);
}

// One spatial axis: with two, ONNX Runtime 1.21 to 1.24 fail on the original.
TEST(FusedConvCopy, IsStoredWithAllOfItsInputs) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.opset(kMs, 1);
  m.input("x", DType::float32, {1, 2, 4}).input("z", DType::float32, {1, 2, 3});
  m.floats("W", {2, 2, 2}, grid(8, 4)).floats("b", {2}, {-3000, 5});
  set_string(m.node("FusedConv", {"x", "W", "b", "z"}, {"y"}, "conv", kMs),
             "activation", "Relu");
  m.output("y", DType::float32);
  Feed f = feed("x", {1, 2, 4}, inputs(8));
  f.inputs.push_back(
      {"z",
       {make_tensor<float>(DType::float32, {1, 2, 3}, {1, 2, 3, 4, 5, 6})}});
  for (const ConvMode mode : {ConvMode::storage, ConvMode::integer}) {
    Recipe r = testing::all_sizes();
    r.conv = mode;
    Both b = run_both(m, f, r);
    EXPECT_EQ(b.after(), b.before());
    EXPECT_EQ(b.plan.decisions[0].action, Action::storage);
    EXPECT_EQ(b.plan.decisions[0].reason.empty(), mode == ConvMode::storage);
  }
}

// 2 heads of 4: x [2, 3, in], W [in, 24].
class Attention {
 public:
  explicit Attention(int64_t in = 8, bool bias = true) {
    model.opset(kMs, 1);
    model.input("x", DType::float32, {2, 3, in});
    model.floats("W", {in, 24},
                 grid(static_cast<size_t>(in * 24), 24, 1.0f / 4096));
    if (bias) model.floats("b", {24}, grid(24, 24, 1.0f / 128));
    node = &model.node("Attention", {"x", "W", bias ? "b" : ""}, {"y"}, "att",
                       kMs);
    set_int(*node, "num_heads", 2);
    model.output("y", DType::float32);
    fed = feed("x", {2, 3, in}, inputs(static_cast<size_t>(6 * in)));
  }
  void input(const std::string& name, int at, DType type, const Shape& shape,
             const Tensor& value) {
    model.input(name, type, shape);
    while (node->input_size() <= at) node->add_input("");
    node->set_input(at, name);
    fed.inputs.push_back({name, {value}});
  }
  void becomes(const char* op, const Recipe& r = testing::all_sizes()) {
    Both b = run_both(model, fed, r);
    for (size_t i = 0; i < b.original.size(); ++i)
      expect_near(b.after(i), b.before(i), 2e-6f);
    EXPECT_EQ(b.plan.quantized, 1);
    EXPECT_EQ(b.count("QAttention"), std::string(op) == "QAttention");
    EXPECT_EQ(b.count("Attention"), std::string(op) == "Attention");
    reason = b.plan.decisions[0].reason;
  }

  TinyModel model;
  onnx::NodeProto* node;
  Feed fed;
  std::string reason;
};

TEST(AttentionCopy, ComputesItsProjectionsInIntegers) {
  OCTAVO_NEED_RUNTIME();
  Attention().becomes("QAttention");
  Attention(6).becomes("QAttention");
  Recipe r = testing::all_sizes();
  r.per_channel = false;
  Attention().becomes("QAttention", r);
}

// ONNX Runtime 1.30 crashes on an Attention without a bias, so the reference is
// one whose bias is zero.
TEST(AttentionCopy, GivesQAttentionTheBiasThatItNeeds) {
  OCTAVO_NEED_RUNTIME();
  Attention without(8, false), zero(8, false);
  zero.model.floats("b", {24}, std::vector<float>(24, 0.0f));
  zero.node->set_input(2, "b");
  const std::string bytes = without.model.bytes();
  const auto q = quantize_bytes(testing::as_bytes(bytes),
                                {.recipe = testing::all_sizes()});
  EXPECT_EQ(q.plan.decisions[0].action, Action::attention);
  const std::string reference = zero.model.bytes();
  const auto got = testing::run_bytes(q.model, without.fed);
  const auto want =
      testing::run_bytes(testing::as_bytes(reference), without.fed);
  const auto x = got[0].tensor.as<float>(), y = want[0].tensor.as<float>();
  expect_near({x.begin(), x.end()}, {y.begin(), y.end()}, 2e-6f);
}

TEST(AttentionCopy, KeepsMasksAndAttributes) {
  OCTAVO_NEED_RUNTIME();
  {
    Attention a;
    a.input("m", 3, DType::int32, {2},
            make_tensor<int32_t>(DType::int32, {2}, {3, 2}));
    set_float(*a.node, "mask_filter_value", -3);
    a.becomes("QAttention");
  }
  {
    Attention a;
    a.input("m", 3, DType::int32, {2, 3},
            make_tensor<int32_t>(DType::int32, {2, 3}, {0, 1, 1, 1, 0, 1}));
    set_float(*a.node, "scale", 0.125f);
    set_int(*a.node, "unidirectional", 1);
    a.becomes("QAttention");
  }
}

TEST(AttentionCopy, KeepsThePastAndGivesThePresent) {
  OCTAVO_NEED_RUNTIME();
  Attention a;
  std::vector<float> past(2 * 2 * 2 * 5 * 4);
  for (size_t i = 0; i < past.size(); ++i)
    past[i] = static_cast<float>(i % 13) / 8 - 0.5f;
  a.input("past", 4, DType::float32, {2, 2, 2, 5, 4},
          make_tensor<float>(DType::float32, {2, 2, 2, 5, 4}, past));
  a.node->add_output("present");
  a.model.output("present", DType::float32);
  set_int(*a.node, "unidirectional", 1);
  a.becomes("QAttention");
}

TEST(AttentionCopy, LosesNoInputThatQAttentionLacks) {
  OCTAVO_NEED_RUNTIME();
  {
    Attention a;
    std::vector<float> bias(2 * 2 * 3 * 3);
    for (size_t i = 0; i < bias.size(); ++i)
      bias[i] = static_cast<float>(i % 7) - 3;
    a.input("bias", 5, DType::float32, {2, 2, 3, 3},
            make_tensor<float>(DType::float32, {2, 2, 3, 3}, bias));
    a.becomes("Attention");
    EXPECT_EQ(a.reason,
              "stored as int8 only: QAttention has no place for its input 5");
  }
  {
    Attention a;
    testing::set_ints(*a.node, "qkv_hidden_sizes", {8, 8, 8});
    a.becomes("Attention");
    EXPECT_NE(a.reason.find("qkv_hidden_sizes"), std::string::npos);
  }
  {
    Attention a;
    Recipe r = testing::all_sizes();
    r.standard_ops = true;
    a.becomes("Attention", r);
  }
}

TEST(EmbeddingCopy, StoresItsTables) {
  OCTAVO_NEED_RUNTIME();
  for (const bool segments : {true, false}) {
    TinyModel m;
    m.opset(kMs, 1);
    m.input("ids", DType::int32, {1, 3});
    if (segments) m.input("seg", DType::int32, {1, 3});
    m.floats("words", {8, 8}, grid(64, 8))
        .floats("places", {4, 8}, grid(32, 8, 0.5f));
    if (segments) m.floats("kinds", {2, 8}, grid(16, 8, 2));
    m.floats("gamma", {8}, grid(8, 8, 0.0625f))
        .floats("beta", {8}, grid(8, 8, 0.125f));
    m.node("EmbedLayerNormalization",
           {"ids", segments ? "seg" : "", "words", "places",
            segments ? "kinds" : "", "gamma", "beta"},
           {"y", "mask"}, "embed", kMs);
    m.output("y", DType::float32);
    Feed f;
    f.inputs.push_back(
        {"ids", {make_tensor<int32_t>(DType::int32, {1, 3}, {7, 0, 3})}});
    if (segments)
      f.inputs.push_back(
          {"seg", {make_tensor<int32_t>(DType::int32, {1, 3}, {0, 1, 1})}});
    Both b = run_both(m, f);
    EXPECT_EQ(b.after(), b.before());
    EXPECT_EQ(b.plan.decisions[0].action, Action::storage);
    EXPECT_EQ(b.plan.decisions[0].inputs, segments ? (std::vector<int>{2, 3, 4})
                                                   : (std::vector<int>{2, 3}));
  }
}

// Names count within their domain only.
TEST(OtherDomains, AreLeftAlone) {
  TinyModel m(23, 11);
  m.opset("my.custom", 1);
  m.opset(kMs, 1);
  m.input("x", DType::float32, {1, 2, 4});
  m.floats("W", {4, 4}, grid(16, 4)).floats("V", {1, 2, 4}, grid(8, 4));
  m.node("MatMul", {"x", "W"}, {"a"}, "", "my.custom");
  m.node("FusedMatMul", {"a", "W"}, {"b"}, "", "my.custom");
  m.node("FusedMatMul", {"b", "W"}, {"c"});
  m.node("Attention", {"c", "V", "V"}, {"d"});
  m.node("SkipLayerNormalization", {"d", "d", "V"}, {"e"}, "", kMs);
  m.node("BiasGelu", {"e", "V"}, {"f"}, "", kMs);
  m.node("Conv", {"f", "V"}, {"y"}, "", "com.microsoft.nchwc");
  m.output("y", DType::float32);
  const std::string bytes = m.bytes();
  const auto q = quantize_bytes(testing::as_bytes(bytes),
                                {.recipe = testing::all_sizes()});
  EXPECT_EQ(q.plan.quantized, 0);
  EXPECT_EQ(q.plan.candidates, 0);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(q.model.data()),
                        q.model.size()),
            bytes);
  std::vector<std::string> reasons;
  for (const Decision& d : q.plan.decisions) reasons.push_back(d.reason);
  EXPECT_EQ(reasons,
            (std::vector<std::string>{
                "my.custom::MatMul is no operator that Octavo knows",
                "my.custom::FusedMatMul is no operator that Octavo knows",
                "Octavo has no rule for FusedMatMul yet",
                "Octavo has no rule for Attention yet",
                "normalization parameters stay float: they are small and "
                "sensitive",
                "its bias stays float: it is small and sensitive",
                "its weights are packed for one kind of processor; quantize "
                "the model that this one was optimized from"}));
}

}  // namespace
}  // namespace octavo
