// Conv, recurrent operators and Gather on the real runtime. Where weights lie
// on the grid (integers, +-127 in each group) answers must be exact; elsewhere
// the expected values come from the dequantized weights, worked out here.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "testing/both.h"

namespace octavo {
namespace {

using testing::Both;
using testing::feed;
using testing::run_both;
using testing::set_int;
using testing::set_ints;
using testing::set_string;
using testing::TinyModel;

std::vector<float> random_values(size_t n, uint32_t seed) {
  std::mt19937 rng(seed);
  std::vector<float> v(n);
  for (float& x : v)
    x = static_cast<float>(static_cast<int>(rng() % 2001) - 1000) / 1000;
  return v;
}

// Each row of `row` elements rounded to its own 255-level grid, as int8 with
// one scale a row must do; in double, half to even.
std::vector<float> on_grid(std::vector<float> w, size_t row) {
  for (size_t r = 0; r + row <= w.size(); r += row) {
    float most = 0;
    for (size_t i = r; i < r + row; ++i) most = std::max(most, std::fabs(w[i]));
    const auto scale = static_cast<float>(static_cast<double>(most) / 127);
    for (size_t i = r; i < r + row; ++i)
      w[i] = static_cast<float>(std::nearbyint(w[i] / scale)) * scale;
  }
  return w;
}

void conv_model(TinyModel& m) {
  m.input("x", DType::float32, {1, 1, 2, 2});
  m.floats("W", {1, 1, 3, 3}, {1, 2, 3, 4, 127, 6, 7, 8, 9});
  set_ints(m.node("Conv", {"x", "W"}, {"y"}, "conv"), "pads", {1, 1, 1, 1});
  m.output("y", DType::float32);
}

TEST(ConvCopy, StoresExactlyAndLetsTheRuntimeFold) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  conv_model(m);
  Both b = run_both(m, feed("x", {1, 1, 2, 2}, {-153, 0, 51, 102}));
  EXPECT_EQ(b.after(), (std::vector<float>{-18105, 561, 6783, 13005}));
  EXPECT_EQ(b.plan.decisions[0].action, Action::storage);
  EXPECT_EQ(b.count("Conv"), 1);
}

// Zero point 153: padding must be worth zero, not q = 0.
TEST(ConvCopy, ComputesInIntegersOnRequest) {
  OCTAVO_NEED_RUNTIME();
  for (const bool bias : {false, true}) {
    TinyModel m;
    conv_model(m);
    m.floats("B", {1}, {10});
    if (bias) m.proto().mutable_node(0)->add_input("B");
    Recipe r = testing::all_sizes();
    r.conv = ConvMode::integer;
    Both b = run_both(m, feed("x", {1, 1, 2, 2}, {-153, 0, 51, 102}), r);
    std::vector<float> want = {-18105, 561, 6783, 13005};
    for (float& v : want) v += bias ? 10 : 0;
    EXPECT_EQ(b.after(), want);
    EXPECT_EQ(b.count("ConvInteger"), 1);
  }
}

TEST(ConvCopy, ComputesGroupsPerChannelInIntegers) {
  OCTAVO_NEED_RUNTIME();
  // Depthwise, two channels whose scales are 1 and 2.
  TinyModel m;
  m.input("x", DType::float32, {1, 2, 1, 3});
  m.floats("W", {2, 1, 1, 2}, {127, 3, 254, -8});
  m.floats("B", {2}, {1, -1});
  set_int(m.node("Conv", {"x", "W", "B"}, {"y"}), "group", 2);
  m.output("y", DType::float32);
  Recipe r = testing::all_sizes();
  r.conv = ConvMode::integer;
  Both b = run_both(m, feed("x", {1, 2, 1, 3}, {0, 255, 7, 9, 11, 13}), r);
  EXPECT_EQ(b.after(), b.before());
  EXPECT_EQ(b.count("ConvInteger"), 1);
}

TEST(ConvCopy, MayStayFloat) {
  TinyModel m;
  conv_model(m);
  Recipe r = testing::all_sizes();
  r.conv = ConvMode::keep;
  const std::string bytes = m.bytes();
  const Model model = open_model(testing::as_bytes(bytes));
  EXPECT_EQ(make_plan(model, r).quantized, 0);
}

TEST(ConvCopy, KeepsABiasThatIsAnEmptyName) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  conv_model(m);
  m.proto().mutable_node(0)->add_input("");
  for (const ConvMode mode : {ConvMode::storage, ConvMode::integer}) {
    Recipe r = testing::all_sizes();
    r.conv = mode;
    Both b = run_both(m, feed("x", {1, 1, 2, 2}, {-153, 0, 51, 102}), r);
    EXPECT_EQ(b.after(), b.before());
  }
}

TEST(ConvTransposeCopy, ScalesAlongItsSecondAxis) {
  OCTAVO_NEED_RUNTIME();
  // W [2 in, 3 out, 1, 2]: each out channel has a 127 x its own power of two.
  TinyModel m;
  m.input("x", DType::float32, {1, 2, 1, 2});
  m.floats("W", {2, 3, 1, 2}, {127, 1, 254, 2, 508, 4, -3, 5, -6, 10, -12, 20});
  m.node("ConvTranspose", {"x", "W"}, {"y"});
  m.output("y", DType::float32);
  Both b = run_both(m, feed("x", {1, 2, 1, 2}, {0.5f, 3, -2, 7}));
  EXPECT_EQ(b.after(), b.before());
  EXPECT_EQ(b.plan.quantized, 1);
}

TEST(StorageCopy, SharesOneStoredWeightInFloat16AndFloat64) {
  for (const DType type : {DType::float16, DType::float64}) {
    TinyModel m;
    m.input("x", type, {1, 1, 1, 2});
    if (type == DType::float16)
      m.init<uint16_t>("W", type, {1, 1, 1, 2}, {0x57f0, 0x3c00});
    else
      m.init<double>("W", type, {1, 1, 1, 2}, {127, 1});
    m.node("Conv", {"x", "W"}, {"y"});
    m.node("Conv", {"x", "W"}, {"z"});
    m.output("y", type).output("z", type);
    QuantizeOptions options;
    options.recipe = testing::all_sizes();
    // int8 with a float scale is no smaller than two float16 values.
    const std::string bytes = m.bytes();
    const auto q = quantize_bytes(testing::as_bytes(bytes), options);
    EXPECT_EQ(q.plan.quantized, type == DType::float16 ? 0 : 2);
    onnx::ModelProto got;
    ASSERT_TRUE(
        got.ParseFromArray(q.model.data(), static_cast<int>(q.model.size())));
    if (type == DType::float16) continue;
    EXPECT_EQ(got.graph().initializer_size(), 2);
    EXPECT_EQ(Both::count(got.graph(), "Cast"), 2);  // to float, to double
  }
}

// An LSTM of random weights, and the same with its weights on the int8 grid by
// hand: the copy may differ from the latter only by its int8 activations.
void add_lstm(TinyModel& m, const std::vector<float>& w,
              const std::vector<float>& r, int64_t directions,
              const std::function<void(onnx::NodeProto&, TinyModel&)>& more) {
  const int64_t d = directions;
  m.input("x", DType::float32, {3, 2, 4});  // seq, batch, input
  m.floats("W", {d, 20, 4}, w);
  m.floats("R", {d, 20, 5}, r);
  auto& n = m.node("LSTM", {"x", "W", "R"}, {"y", "yh", "yc"}, "lstm");
  set_int(n, "hidden_size", 5);
  if (d == 2) set_string(n, "direction", "bidirectional");
  more(n, m);
  m.output("y", DType::float32)
      .output("yh", DType::float32)
      .output("yc", DType::float32);
}

TEST(LstmCopy, AgreesWithWeightsOnTheGrid) {
  OCTAVO_NEED_RUNTIME();
  using More = std::function<void(onnx::NodeProto&, TinyModel&)>;
  const std::vector<std::pair<int64_t, More>> forms = {
      {1, [](auto&, auto&) {}},
      {2, [](auto&, auto&) {}},
      {1,
       [](auto& n, auto& m) {
         m.floats("B", {1, 40}, random_values(40, 3));
         n.add_input("B");
       }},
      {2,
       [](auto& n, auto& m) {  // bias, lengths, initial states, peepholes
         m.floats("B", {2, 40}, random_values(80, 3));
         m.template init<int32_t>("len", DType::int32, {2}, {3, 2});
         m.floats("h0", {2, 2, 5}, random_values(20, 4));
         m.floats("c0", {2, 2, 5}, random_values(20, 5));
         m.floats("P", {2, 15}, random_values(30, 6));
         for (const char* name : {"B", "len", "h0", "c0", "P"})
           n.add_input(name);
       }},
      {1,
       [](auto& n, auto& m) {  // only an initial state
         m.floats("h0", {1, 2, 5}, random_values(10, 4));
         for (const char* name : {"", "", "h0"}) n.add_input(name);
       }},
      {1,
       [](auto& n, auto&) {  // other attributes
         testing::set_float(n, "clip", 0.5f);
         set_string(n, "direction", "reverse");
         auto& a = testing::attribute(n, "activations");
         a.set_type(onnx::AttributeProto::STRINGS);
         for (const char* f : {"HardSigmoid", "Tanh", "Softsign"})
           a.add_strings(f);
       }},
  };
  for (size_t i = 0; i < forms.size(); ++i) {
    SCOPED_TRACE(i);
    const auto& [d, more] = forms[i];
    const auto w = random_values(static_cast<size_t>(d) * 80, 1);
    const auto r = random_values(static_cast<size_t>(d) * 100, 2);
    const Feed x = feed("x", {3, 2, 4}, random_values(24, 9));
    for (const bool per_channel : {true, false}) {
      Recipe recipe = testing::all_sizes();
      recipe.per_channel = per_channel;
      TinyModel m, grid;
      m.opset("com.microsoft", 1);
      add_lstm(m, w, r, d, more);
      add_lstm(grid, on_grid(w, per_channel ? 4 : 80),
               on_grid(r, per_channel ? 5 : 100), d, more);
      Both b = run_both(m, x, recipe);
      EXPECT_EQ(b.count("DynamicQuantizeLSTM"), 1);
      const std::string bytes = grid.bytes();
      const auto want = testing::run_bytes(testing::as_bytes(bytes), x);
      for (size_t out = 0; out < 3; ++out) {
        const auto got = b.copy[out].tensor.as<float>();
        const auto expect = want[out].tensor.as<float>();
        ASSERT_EQ(b.copy[out].tensor.shape, want[out].tensor.shape);
        // Activations lie in [-1, 1]: uint8 steps of at most 2/255, half of
        // that wrong, times at most 9 weights below 1, over three steps.
        for (size_t k = 0; k < got.size(); ++k)
          EXPECT_NEAR(got[k], expect[k], 0.05) << out << " " << k;
      }
    }
  }
}

TEST(LstmCopy, SharesWeightsThatTwoLstmsShare) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  const auto w = random_values(80, 1), r = random_values(100, 2);
  add_lstm(m, w, r, 1, [](auto&, auto&) {});
  auto& n = m.node("LSTM", {"x", "W", "R"}, {"y2"}, "again");
  set_int(n, "hidden_size", 5);
  m.output("y2", DType::float32);
  Both b = run_both(m, feed("x", {3, 2, 4}, random_values(24, 9)));
  EXPECT_EQ(b.after(0), b.after(3));
  EXPECT_EQ(b.count("DynamicQuantizeLSTM"), 2);
  int int8 = 0;
  for (const auto& t : b.model.graph().initializer())
    int8 += t.data_type() == 3 && t.name().ends_with("_quantized");
  EXPECT_EQ(int8, 2);
}

TEST(LstmCopy, IsStoredWhereTheContribOperatorWillNotDo) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  const auto w = random_values(80, 1), r = random_values(100, 2);
  add_lstm(m, w, r, 1, [](auto&, auto&) {});
  Recipe recipe = testing::all_sizes();
  recipe.standard_ops = true;
  Both b = run_both(m, feed("x", {3, 2, 4}, random_values(24, 9)), recipe);
  EXPECT_EQ(b.count("LSTM"), 1);
  EXPECT_EQ(b.plan.decisions[0].action, Action::storage);
  TinyModel grid;
  add_lstm(grid, on_grid(w, 4), on_grid(r, 5), 1, [](auto&, auto&) {});
  const std::string bytes = grid.bytes();
  const auto want = testing::run_bytes(
      testing::as_bytes(bytes), feed("x", {3, 2, 4}, random_values(24, 9)));
  const auto expect = want[0].tensor.as<float>();
  for (size_t k = 0; k < expect.size(); ++k)
    EXPECT_NEAR(b.after()[k], expect[k], 1e-6);
}

TEST(GruCopy, IsStoredPerRow) {
  OCTAVO_NEED_RUNTIME();
  const auto w = random_values(60, 1), r = random_values(75, 2);
  const auto build = [&](TinyModel& m, const std::vector<float>& wv,
                         const std::vector<float>& rv) {
    m.input("x", DType::float32, {3, 2, 4});
    m.floats("W", {1, 15, 4}, wv);
    m.floats("R", {1, 15, 5}, rv);
    set_int(m.node("GRU", {"x", "W", "R"}, {"y"}), "hidden_size", 5);
    m.output("y", DType::float32);
  };
  TinyModel m, grid;
  build(m, w, r);
  build(grid, on_grid(w, 4), on_grid(r, 5));
  const Feed x = feed("x", {3, 2, 4}, random_values(24, 9));
  Both b = run_both(m, x);
  const std::string bytes = grid.bytes();
  const auto want = testing::run_bytes(testing::as_bytes(bytes), x);
  const auto expect = want[0].tensor.as<float>();
  for (size_t k = 0; k < expect.size(); ++k)
    EXPECT_NEAR(b.after()[k], expect[k], 1e-6);
  EXPECT_EQ(b.plan.quantized, 1);
}

// As PyTorch exports an LSTM whose gates are reordered while running.
TEST(LstmCopy, IsStoredAtTheConstantsThatItsWeightsAreCutFrom) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {3, 2, 4});
  const auto w = random_values(80, 1), r = random_values(100, 2);
  m.constant<float>("W0", DType::float32, {20, 4}, w);
  m.floats("R0", {20, 5}, r);
  for (const char* side : {"W", "R"}) {
    const std::string s(side);
    m.init<int64_t>(s + "a", DType::int64, {1}, {0});
    m.init<int64_t>(s + "b", DType::int64, {1}, {10});
    m.init<int64_t>(s + "c", DType::int64, {1}, {20});
    m.node("Slice", {s + "0", s + "a", s + "b", s + "a"}, {s + "1"});
    m.node("Slice", {s + "0", s + "b", s + "c", s + "a"}, {s + "2"});
    m.node("Concat", {s + "2", s + "1"}, {s + "3"});
    set_int(*m.proto().mutable_node(m.proto().node_size() - 1), "axis", 0);
    m.node("Unsqueeze", {s + "3", s + "a"}, {s});
  }
  set_int(m.node("LSTM", {"x", "W", "R"}, {"y"}), "hidden_size", 5);
  m.output("y", DType::float32);
  const Feed x = feed("x", {3, 2, 4}, random_values(24, 9));
  Both b = run_both(m, x);
  EXPECT_EQ(b.plan.quantized, 1);
  EXPECT_EQ(b.count("Mul"), 2);
  // Against the same graph over weights that lie on the grid.
  TinyModel grid;
  grid.model() = m.model();
  auto* t = grid.proto().mutable_node(0)->mutable_attribute(0)->mutable_t();
  const auto gw = on_grid(w, 4), gr = on_grid(r, 5);
  t->set_raw_data(gw.data(), gw.size() * 4);
  grid.proto().mutable_initializer(0)->set_raw_data(gr.data(), gr.size() * 4);
  const std::string bytes = grid.bytes();
  const auto want = testing::run_bytes(testing::as_bytes(bytes), x);
  const auto expect = want[0].tensor.as<float>();
  for (size_t k = 0; k < expect.size(); ++k)
    EXPECT_NEAR(b.after()[k], expect[k], 1e-6);
}

TEST(GatherCopy, DequantizesWhatWasGatheredAlongAnyAxis) {
  OCTAVO_NEED_RUNTIME();
  const auto table = random_values(60, 5);
  for (const int64_t axis : {0, 1, -1}) {
    TinyModel m;
    m.input("ids", DType::int64, {2, 2});
    m.floats("E", {6, 10}, table);
    set_int(m.node("Gather", {"E", "ids"}, {"y"}, "emb"), "axis", axis);
    m.output("y", DType::float32);
    const Feed ids = {
        {{"ids", make_tensor<int64_t>(DType::int64, {2, 2}, {0, 5, -1, 3})}}};
    Both b = run_both(m, ids);
    EXPECT_EQ(b.original[0].tensor.shape, b.copy[0].tensor.shape);
    EXPECT_EQ(b.count("Gather"), 2);
    // Row scales: half a step is at most 1 / 254 of the largest value, 1.
    for (size_t k = 0; k < b.after().size(); ++k)
      EXPECT_NEAR(b.after()[k], b.before()[k], 0.5 / 127 + 1e-6);
    EXPECT_NE(b.after(), b.before());
  }
}

TEST(GatherCopy, IsExactOnTheGridAndServesATiedHead) {
  OCTAVO_NEED_RUNTIME();
  // E [v, d]; rows with 127 times a power of two.
  TinyModel m;
  m.input("ids", DType::int64, {2});
  m.floats("E", {3, 5}, {127, 1, 2, 3, 4, -254, 4, 8, 2, 0, 63.5, 1, 2, 3, 4});
  m.node("Gather", {"E", "ids"}, {"x"});
  m.node("Transpose", {"E"}, {"Et"});
  m.node("MatMul", {"x", "Et"}, {"y"});
  m.output("x", DType::float32).output("y", DType::float32);
  const Feed ids = {{{"ids", make_tensor<int64_t>(DType::int64, {2}, {1, 2})}}};
  Both b = run_both(m, ids);
  EXPECT_EQ(b.after(0), b.before(0));
  EXPECT_EQ(b.plan.quantized, 2);
  // One int8 table serves both, turned over at load.
  EXPECT_EQ(b.count("Transpose"), 1);
  int tables = 0;
  for (const auto& t : b.model.graph().initializer())
    tables += t.data_type() == 3;
  EXPECT_EQ(tables, 1);
  // The activations' range of 381 in 255 steps: wrong by at most 0.75 each,
  // five weights of at most 254.
  for (size_t k = 0; k < b.after(1).size(); ++k)
    EXPECT_NEAR(b.after(1)[k], b.before(1)[k], 0.75 * 5 * 254);
}

// Two orders of one cube have the same shape, and are not the same weight.
TEST(MatMulCopy, TellsTwoOrdersOfOneCubeApart) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {2, 1, 2});
  m.floats("W", {2, 2, 2}, {127, -127, 127, 127, -127, 127, 127, -127});
  int i = 0;
  for (const std::vector<int64_t>& perm :
       {std::vector<int64_t>{2, 0, 1}, {1, 2, 0}, {0, 2, 1}, {2, 1, 0}}) {
    const std::string n = std::to_string(i++);
    set_ints(m.node("Transpose", {"W"}, {"W" + n}), "perm", perm);
    m.node("MatMul", {"x", "W" + n}, {"y" + n});
    m.output("y" + n, DType::float32);
  }
  Both b = run_both(m, feed("x", {2, 1, 2}, {0, 255, 3, 40}));
  for (size_t k = 0; k < 4; ++k) EXPECT_EQ(b.after(k), b.before(k)) << k;
  EXPECT_EQ(b.plan.quantized, 4);
}

TEST(GatherCopy, LeavesIdsAndVectorsAlone) {
  TinyModel m;
  m.input("ids", DType::int64, {2});
  m.floats("V", {600}, random_values(600, 1));
  m.init<int64_t>("T", DType::int64, {300, 2}, std::vector<int64_t>(600, 3));
  m.node("Gather", {"V", "ids"}, {"y"});
  m.node("Gather", {"T", "ids"}, {"z"});
  m.output("y", DType::float32).output("z", DType::int64);
  const std::string bytes = m.bytes();
  const Plan plan = make_plan(open_model(testing::as_bytes(bytes)));
  ASSERT_EQ(plan.decisions.size(), 2u);
  EXPECT_EQ(plan.quantized, 0);
  EXPECT_NE(plan.decisions[0].reason.find("vector"), std::string::npos);
  EXPECT_NE(plan.decisions[1].reason.find("int64"), std::string::npos);
}

TEST(Plan, DoesNotAddAnInt8CopyBesideAFloatOneForSizeAlone) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("ids", DType::int64, {2});
  m.floats("E", {30, 10}, random_values(300, 1));
  m.floats("W", {10, 10}, random_values(100, 2));
  m.node("Gather", {"E", "ids"}, {"g"}, "table");
  m.node("MatMul", {"g", "W"}, {"y"}, "product");
  m.node("Identity", {"E"}, {"e"});
  m.node("Neg", {"e"}, {"z"}, "negate");
  m.output("y", DType::float32)
      .output("z", DType::float32)
      .output("W", DType::float32, {10, 10});
  const Feed ids = {{{"ids", make_tensor<int64_t>(DType::int64, {2}, {1, 2})}}};
  Both b = run_both(m, ids);
  EXPECT_EQ(b.after(1), b.before(1));
  EXPECT_EQ(b.after(2), b.before(2));
  ASSERT_EQ(b.plan.decisions.size(), 2u);
  EXPECT_EQ(b.plan.quantized, 1);
  EXPECT_EQ(b.plan.decisions[0].reason,
            "its weight 'E' stays float for Neg 'negate', so int8 would only "
            "add bytes");
  EXPECT_EQ(b.plan.decisions[1].action, Action::integer);
  EXPECT_EQ(b.plan.decisions[1].bytes_after, 100 + 40 + 400);
  EXPECT_NE(b.plan.decisions[1].reason.find("400 bytes of 'W'"),
            std::string::npos);
}

TEST(Plan, LeavesOutWhatIsNotSelected) {
  TinyModel m;
  m.input("x", DType::float32, {1, 2});
  m.floats("W", {2, 2}, {127, 1, 2, -127});
  set_int(m.node("Gemm", {"x", "W"}, {"a"}, "/fc/Gemm"), "transB", 1);
  m.node("MatMul", {"a", "W"}, {"b"}, "/fc/MatMul");
  m.node("MatMul", {"b", "W"}, {"y"});  // goes by its output
  m.output("y", DType::float32);
  const std::string bytes = m.bytes();
  const Model model = open_model(testing::as_bytes(bytes));
  const auto quantized = [&](const std::function<void(Recipe&)>& change) {
    Recipe r = testing::all_sizes();
    change(r);
    std::string ops;
    for (const Decision& d : make_plan(model, r).decisions)
      ops += d.action == Action::keep ? "-" : "q";
    return ops;
  };
  EXPECT_EQ(quantized([](Recipe&) {}), "qqq");
  EXPECT_EQ(quantized([](Recipe& r) { r.exclude = {"/fc/Gemm"}; }), "-qq");
  EXPECT_EQ(quantized([](Recipe& r) { r.exclude = {"/fc/*"}; }), "--q");
  EXPECT_EQ(quantized([](Recipe& r) { r.exclude = {"y"}; }), "qq-");
  EXPECT_EQ(quantized([](Recipe& r) { r.include = {"/Gemm|^y$/"}; }), "q-q");
  EXPECT_EQ(quantized([](Recipe& r) { r.ops = {"MatMul"}; }), "-qq");
  EXPECT_EQ(quantized([](Recipe& r) {
              r.include = {"/fc/*"};
              r.exclude = {"*Gemm"};
            }),
            "-q-");
  try {
    quantized([](Recipe& r) { r.exclude = {"/fc/Gem"}; });
    FAIL() << "a pattern that matches nothing went unnoticed";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean '/fc/Gemm'"),
              std::string::npos)
        << e.what();
  }
}

TEST(Plan, LeavesNodesWithoutInputsOrOutputsAlone) {
  TinyModel m;
  m.input("x", DType::float32, {1, 2});
  m.input("ids", DType::int64, {1});
  m.floats("W", {2, 2}, {127, 1, 2, -127});
  m.floats("K", {1, 1, 1, 2}, {127, 1});
  m.floats("R", {1, 8, 2}, random_values(16, 1));
  for (const auto& [op, inputs] :
       {std::pair("MatMul", std::vector<std::string>{"W"}),
        std::pair("Gemm", std::vector<std::string>{"W"}),
        std::pair("Gather", std::vector<std::string>{"W"}),
        std::pair("Conv", std::vector<std::string>{"", "K"}),
        std::pair("LSTM", std::vector<std::string>{"", "R", "R"}),
        std::pair("GRU", std::vector<std::string>{"x", "R"})})
    m.node(op, inputs, {std::string(op) + "_y"});
  for (const std::vector<std::string>& outputs :
       {std::vector<std::string>{}, {""}}) {
    m.node("MatMul", {"x", "W"}, outputs);
    m.node("Gemm", {"x", "W"}, outputs);
    m.node("Gather", {"W", "ids"}, outputs);
    m.node("Conv", {"x", "K"}, outputs);
    m.node("LSTM", {"x", "R", "R"}, outputs);
    m.node("MatMul", {"W"}, outputs);
    m.node("MatMul", {"", "W"}, outputs);
    m.node("MatMul", {}, outputs);
    m.node("Conv", {}, outputs);
    m.node("LSTM", {}, outputs);
  }
  const std::string bytes = m.bytes();
  for (const ConvMode mode : {ConvMode::storage, ConvMode::integer}) {
    QuantizeOptions options;
    options.recipe = testing::all_sizes();
    options.recipe.conv = mode;
    EXPECT_NO_THROW(quantize_bytes(testing::as_bytes(bytes), options));
  }
}

TEST(Plan, KeepsBiasesNormsAndPlainConstantsWithReasons) {
  TinyModel m;
  m.input("x", DType::float32, {1, 400});
  const auto v = random_values(400, 1);
  m.floats("v", {400}, v);
  m.node("Add", {"x", "v"}, {"a"}, "add");
  m.node("LayerNormalization", {"a", "v", "v"}, {"b"}, "ln");
  m.node("Einsum", {"b", "v"}, {"c"}, "ein");
  m.output("c", DType::float32);
  const std::string bytes = m.bytes();
  const Plan plan = make_plan(open_model(testing::as_bytes(bytes)));
  ASSERT_EQ(plan.decisions.size(), 3u);
  EXPECT_EQ(plan.candidates, 0);
  EXPECT_NE(plan.decisions[0].reason.find("plain arithmetic"),
            std::string::npos);
  EXPECT_NE(plan.decisions[1].reason.find("normalization"), std::string::npos);
  EXPECT_NE(plan.decisions[2].reason.find("no rule for Einsum"),
            std::string::npos);
}

TEST(Plan, SaysWhatFunctionsHold) {
  TinyModel m;
  m.opset("local", 1);
  m.input("x", DType::float32, {1, 2});
  m.floats("W", {2, 2}, {127, 1, 2, -127});
  m.node("Lin", {"x", "W"}, {"y"}, "lin", "local");
  m.output("y", DType::float32);
  auto* f = m.model().add_functions();
  f->set_name("Lin");
  f->set_domain("local");
  auto* n = f->add_node();
  n->set_op_type("MatMul");
  const std::string bytes = m.bytes();
  const Plan plan =
      make_plan(open_model(testing::as_bytes(bytes)), testing::all_sizes());
  ASSERT_EQ(plan.decisions.size(), 2u);
  EXPECT_EQ(plan.decisions[0].reason,
            "it calls a function of the model that stays");
  EXPECT_NE(plan.decisions[1].reason.find("function of the model"),
            std::string::npos);
}

}  // namespace
}  // namespace octavo
