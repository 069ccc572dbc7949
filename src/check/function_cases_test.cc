// Models with functions of their own, on the real runtime. All weights and
// inputs lie on the int8 grid, so the copy's answers must be the original's,
// and they are worked out in the comments.
#include <gtest/gtest.h>

#include "model/data.h"
#include "octavo/inspect.h"
#include "testing/both.h"

namespace octavo {
namespace {

using testing::Both;
using testing::feed;
using testing::run_both;
using testing::TinyGraph;
using testing::TinyModel;

// A function of the domain "local", to be filled.
class Function {
 public:
  Function(TinyModel& m, const std::string& name,
           const std::vector<std::string>& inputs,
           const std::vector<std::string>& outputs, int64_t opset = 17)
      : f_(*m.model().add_functions()) {
    f_.set_name(name);
    f_.set_domain("local");
    for (const auto& i : inputs) f_.add_input(i);
    for (const auto& o : outputs) f_.add_output(o);
    import("", opset);
  }
  void import(const std::string& domain, int64_t version) {
    auto* o = f_.add_opset_import();
    o->set_domain(domain);
    o->set_version(version);
  }
  onnx::NodeProto& node(const std::string& op,
                        const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs,
                        const std::string& domain = "") {
    auto* n = f_.add_node();
    n->set_op_type(op);
    n->set_domain(domain);
    for (const auto& i : inputs) n->add_input(i);
    for (const auto& o : outputs) n->add_output(o);
    return *n;
  }
  onnx::FunctionProto& proto() { return f_; }

 private:
  onnx::FunctionProto& f_;
};

void refer(onnx::NodeProto& n, const char* name, const char* to,
           onnx::AttributeProto::AttributeType type) {
  auto& a = testing::attribute(n, name);
  a.set_ref_attr_name(to);
  a.set_type(type);
}

const std::vector<float> kW = {127, 1, 2, -127};
// x = [0, 255] times W, as for the model M0.
const std::vector<float> kAnswer = {510, -32385};

void add_lin(TinyModel& m) {
  Function f(m, "Lin", {"X", "W"}, {"Y"});
  f.node("MatMul", {"X", "W"}, {"Y"});
}

// y = x W V with V = [[1, 127], [127, -1]] in halves: the second product's
// input is not on the grid, so the two stand side by side.
TEST(FunctionCopy, QuantizesTheWeightOfEachCall) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.opset("local", 1);
  m.input("x", DType::float32, {1, 2});
  m.floats("W", {2, 2}, kW);
  m.floats("V", {2, 2}, {1, 127, 127, -1});
  m.node("Lin", {"x", "W"}, {"y"}, "lin1", "local");
  m.node("Lin", {"x", "V"}, {"z"}, "lin2", "local");
  m.output("y", DType::float32, {1, 2}).output("z", DType::float32, {1, 2});
  add_lin(m);
  Both b = run_both(m, feed("x", {1, 2}, {0, 255}));
  EXPECT_EQ(b.after(), kAnswer);
  EXPECT_EQ(b.after(1), (std::vector<float>{127 * 255, -255}));
  EXPECT_EQ(b.before(1), b.after(1));
  EXPECT_EQ(b.plan.quantized, 2);
  EXPECT_EQ(b.count("MatMulInteger"), 2);
  EXPECT_EQ(b.count("DynamicQuantizeLinear"), 1);
  EXPECT_EQ(b.model.functions_size(), 0);
  ASSERT_EQ(b.plan.prepared.size(), 1u);
  EXPECT_EQ(b.plan.prepared[0], "2 calls of 'local::Lin' inlined");
  EXPECT_EQ(b.plan.decisions[0].node, "lin1/MatMul");
}

TEST(FunctionCopy, InlinesOnlyCallsThatGain) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.opset("local", 1);
  m.input("x", DType::float32, {1, 2});
  m.input("v", DType::float32, {2, 2});
  m.floats("W", {2, 2}, kW);
  m.node("Lin", {"x", "v"}, {"z"}, "lin1", "local");
  m.node("Lin", {"x", "W"}, {"y"}, "lin2", "local");
  m.node("Twice", {"z"}, {"t"}, "twice", "local");
  m.output("y", DType::float32).output("t", DType::float32);
  add_lin(m);
  Function twice(m, "Twice", {"X"}, {"Y"});
  twice.node("Add", {"X", "X"}, {"Y"});
  Feed f = feed("x", {1, 2}, {0, 255});
  f.inputs.push_back(
      {"v", {make_tensor<float>(DType::float32, {2, 2}, {1, 2, 3, 4})}});
  Both b = run_both(m, f);
  EXPECT_EQ(b.after(), kAnswer);
  EXPECT_EQ(b.after(1), (std::vector<float>{1530, 2040}));
  EXPECT_EQ(b.count("Lin"), 1);
  EXPECT_EQ(b.count("Twice"), 1);
  EXPECT_EQ(b.model.functions_size(), 2);
}

TEST(FunctionCopy, LeavesAModelWithoutWeightsInItsFunctionsAsItIs) {
  TinyModel m;
  m.opset("local", 1);
  m.input("x", DType::float32, {1, 2});
  m.input("v", DType::float32, {2, 2});
  m.node("Lin", {"x", "v"}, {"y"}, "lin", "local");
  m.output("y", DType::float32);
  add_lin(m);
  const std::string bytes = m.bytes();
  const auto q = quantize_bytes(testing::as_bytes(bytes),
                                {.recipe = testing::all_sizes()});
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(q.model.data()),
                        q.model.size()),
            bytes);
  EXPECT_TRUE(q.plan.prepared.empty());
  ASSERT_FALSE(q.plan.decisions.empty());
}

// A weight of the body itself serves both calls and is stored once.
TEST(FunctionCopy, SharesTheConstantsOfABody) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.opset("local", 1);
  m.input("x", DType::float32, {1, 2});
  m.node("Own", {"x"}, {"y"}, "", "local");
  m.node("Own", {"x"}, {"z"}, "", "local");
  m.output("y", DType::float32).output("z", DType::float32);
  Function f(m, "Own", {"X"}, {"Y"});
  auto& c = f.node("Constant", {}, {"W"});
  auto& value = testing::attribute(c, "value");
  value.set_type(onnx::AttributeProto::TENSOR);
  TinyGraph::tensor<float>(*value.mutable_t(), "", DType::float32, {2, 2}, kW);
  f.node("MatMul", {"X", "W"}, {"Y"});
  Both b = run_both(m, feed("x", {1, 2}, {0, 255}));
  EXPECT_EQ(b.after(0), kAnswer);
  EXPECT_EQ(b.after(1), kAnswer);
  int int8 = 0;
  for (const auto& t : b.model.graph().initializer())
    int8 += t.data_type() == static_cast<int>(DType::int8);
  EXPECT_EQ(int8, 1);
}

// alpha comes from the call, beta from the function's default, transA from
// nobody (0 is the operator's own default), transB stands in the body.
// y = 2 x W' + 3 c = 2 [255, -32385] + 3 [1, 2].
TEST(FunctionCopy, ResolvesReferencesToAttributes) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.opset("local", 1);
  m.input("x", DType::float32, {1, 2});
  m.floats("W", {2, 2}, kW).floats("c", {2}, {1, 2});
  testing::set_float(m.node("Fc", {"x", "W", "c"}, {"y"}, "fc", "local"),
                     "scale", 2);
  m.output("y", DType::float32);
  Function f(m, "Fc", {"X", "W", "C"}, {"Y"});
  f.proto().add_attribute("scale");
  f.proto().add_attribute("turn");
  auto* d = f.proto().add_attribute_proto();
  d->set_name("share");
  d->set_type(onnx::AttributeProto::FLOAT);
  d->set_f(3);
  auto& g = f.node("Gemm", {"X", "W", "C"}, {"Y"});
  refer(g, "alpha", "scale", onnx::AttributeProto::FLOAT);
  refer(g, "beta", "share", onnx::AttributeProto::FLOAT);
  refer(g, "transA", "turn", onnx::AttributeProto::INT);
  testing::set_int(g, "transB", 1);
  Both b = run_both(m, feed("x", {1, 2}, {0, 255}));
  EXPECT_EQ(b.after(), (std::vector<float>{513, -64764}));
  EXPECT_EQ(b.before(), b.after());
  EXPECT_EQ(b.count("MatMulInteger"), 1);
}

// Functions in functions, an If in one of them that captures, names of the
// model that look like those that inlining makes, a value of the body with the
// name of a value of the model, an input left out, and an output that is
// not wanted.
TEST(FunctionCopy, KeepsNamesApartInNestedCallsAndBodies) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.opset("local", 1);
  m.input("x", DType::float32, {1, 2}).input("c", DType::boolean, {});
  m.floats("W", {2, 2}, kW).floats("t", {2}, {7, 9});
  m.node("Add", {"x", "t"}, {"outer/inner/Y"}, "outer/inner");
  m.node("Outer", {"x", "W", "c"}, {"y", "", "same"}, "outer", "local");
  m.node("Add", {"same", "outer/inner/Y"}, {"z"});
  m.output("y", DType::float32).output("z", DType::float32);
  Function outer(m, "Outer", {"a", "w", "cond", "bias"},
                 {"t", "unwanted", "copy"});
  outer.import("local", 1);
  outer.node("Inner", {"a", "w"}, {"y"}, "local").set_name("inner");
  outer.node("Neg", {"y"}, {"unwanted"});
  outer.node("Identity", {"a"}, {"copy"});
  outer.node("Clip", {"y", "", "bias"}, {"W"});
  auto& branch = outer.node("If", {"cond"}, {"t"});
  TinyGraph yes = testing::add_graph(branch, "then_branch");
  yes.node("Inner", {"a", "w"}, {"y2"}, "", "local");
  yes.node("Sub", {"y2", "W"}, {"zero"});
  yes.node("Add", {"zero", "y2"}, {"r"});
  yes.output("r", DType::float32);
  TinyGraph no = testing::add_graph(branch, "else_branch");
  no.node("Neg", {"W"}, {"r"});
  no.output("r", DType::float32);
  Function inner(m, "Inner", {"X", "W"}, {"Y"});
  inner.node("MatMul", {"X", "W"}, {"Y"});
  for (const bool c : {true, false}) {
    Feed f = feed("x", {1, 2}, {0, 255});
    f.inputs.push_back({"c", {make_tensor<uint8_t>(DType::boolean, {}, {c})}});
    Both b = run_both(m, f);
    EXPECT_EQ(b.after(), c ? kAnswer : (std::vector<float>{-510, 32385}));
    EXPECT_EQ(b.after(1), (std::vector<float>{7, 519}));
    EXPECT_EQ(b.before(0), b.after(0));
    EXPECT_EQ(b.before(1), b.after(1));
    EXPECT_EQ(b.count("MatMulInteger"), 2);
    EXPECT_EQ(b.model.functions_size(), 0);
  }
}

TEST(FunctionCopy, AreSelectedByTheirCallsNames) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.opset("local", 1);
  m.input("x", DType::float32, {1, 2});
  m.floats("W", {2, 2}, kW).floats("V", {2, 2}, kW);
  m.node("Lin", {"x", "W"}, {"y"}, "lin1", "local");
  m.node("Lin", {"x", "V"}, {"z"}, "lin2", "local");
  m.output("y", DType::float32).output("z", DType::float32);
  add_lin(m);
  Recipe r = testing::all_sizes();
  r.exclude = {"lin2/*"};
  Both b = run_both(m, feed("x", {1, 2}, {0, 255}), r);
  EXPECT_EQ(b.plan.quantized, 1);
  EXPECT_EQ(b.after(1), kAnswer);
}

// What became of the nodes is told by the names that inlining gives.
TEST(FunctionCopy, IsComparedNodeByNode) {
  TinyModel m;
  m.opset("local", 1);
  m.input("x", DType::float32, {1, 2});
  m.input("v", DType::float32, {2, 2});
  m.floats("W", {2, 2}, kW);
  m.node("Lin", {"x", "W"}, {"y"}, "lin1", "local");
  m.node("Lin", {"x", "v"}, {"z"}, "lin2", "local");
  m.output("y", DType::float32).output("z", DType::float32);
  add_lin(m);
  const std::string bytes = m.bytes();
  const auto q = quantize_bytes(testing::as_bytes(bytes),
                                {.recipe = testing::all_sizes()});
  const auto all =
      changes(open_model(testing::as_bytes(bytes)), open_model(Bytes(q.model)));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].node, "lin1/MatMul");
  EXPECT_EQ(all[0].after, "MatMulInteger");
  EXPECT_TRUE(all[0].quantized);
}

// ONNX Runtime 1.30 refuses such a function; others need not.
TEST(FunctionCopy, CopiesAnInputThatIsAnOutput) {
  TinyModel m;
  m.opset("local", 1);
  m.input("x", DType::float32, {1, 2});
  m.floats("W", {2, 2}, kW);
  m.node("F", {"x", "W"}, {"y", "same"}, "f", "local");
  m.output("y", DType::float32).output("same", DType::float32);
  Function f(m, "F", {"X", "W"}, {"Y", "X"});
  f.node("MatMul", {"X", "W"}, {"Y"});
  const std::string bytes = m.bytes();
  Model model = open_model(testing::as_bytes(bytes));
  EXPECT_EQ(prepare_and_plan(model, testing::all_sizes()).quantized, 1);
  const auto& last = model.data().proto.graph().node(1);
  EXPECT_EQ(last.op_type(), "Identity");
  EXPECT_EQ(last.input(0), "x");
  EXPECT_EQ(last.output(0), "same");
}

std::string reason_in_function(const TinyModel& m) {
  const std::string bytes = m.bytes();
  Model model = open_model(testing::as_bytes(bytes));
  const Plan plan = prepare_and_plan(model, testing::all_sizes());
  EXPECT_EQ(plan.quantized, 0);
  for (const Decision& d : plan.decisions)
    if (d.scope_index == -1) return d.reason;
  return "no decision in a function";
}

void add_call(TinyModel& m) {
  m.opset("local", 1);
  m.input("x", DType::float32, {1, 2});
  m.floats("W", {2, 2}, kW);
  m.node("F", {"x", "W"}, {"y"}, "f", "local");
  m.output("y", DType::float32);
}

TEST(Functions, SayWhatKeepsThemFromBeingInlined) {
  {
    TinyModel m;
    add_call(m);
    Function f(m, "F", {"X", "W"}, {"Y"}, 16);
    f.node("MatMul", {"X", "W"}, {"Y"});
    EXPECT_EQ(reason_in_function(m),
              "it stands in a function with version 16 of ONNX's own "
              "operators, and the model has version 17, which cannot be "
              "inlined");
  }
  {
    TinyModel m;
    add_call(m);
    Function f(m, "F", {"X", "W"}, {"Y"});
    f.node("MatMul", {"X", "W"}, {"t"});
    f.node("G", {"t", "W"}, {"Y"}, "local");
    Function g(m, "G", {"X", "W"}, {"Y"});
    g.node("F", {"X", "W"}, {"Y"}, "local");
    EXPECT_NE(reason_in_function(m).find("calls itself"), std::string::npos);
  }
  {
    TinyModel m;
    add_call(m);
    for (int i = 0; i < 2; ++i) {
      Function f(m, "F", {"X", "W"}, {"Y"});
      f.node("MatMul", {"X", "W"}, {"Y"});
    }
    EXPECT_NE(reason_in_function(m).find("defines twice"), std::string::npos);
  }
}

// Forty functions, each calling the next one twice: 2^40 products.
TEST(Functions, DoNotUnfoldWithoutBounds) {
  TinyModel m;
  add_call(m);
  for (int i = 0; i < 40; ++i) {
    const std::string next = "F" + std::to_string(i + 1);
    Function f(m, i == 0 ? "F" : "F" + std::to_string(i), {"X", "W"}, {"Y"});
    if (i == 39) {
      f.node("MatMul", {"X", "W"}, {"Y"});
    } else {
      f.node(next, {"X", "W"}, {"t"}, "local");
      f.node(next, {"t", "W"}, {"Y"}, "local");
    }
  }
  EXPECT_NE(reason_in_function(m), "");
}

// A chain of calls as long as a hostile file likes.
TEST(Functions, DoNotFollowCallsWithoutBounds) {
  TinyModel m;
  add_call(m);
  for (int i = 0; i < 4000; ++i) {
    Function f(m, i == 0 ? "F" : "F" + std::to_string(i), {"X", "W"}, {"Y"});
    if (i == 3999)
      f.node("MatMul", {"X", "W"}, {"Y"});
    else
      f.node("F" + std::to_string(i + 1), {"X", "W"}, {"Y"}, "local");
  }
  EXPECT_NE(reason_in_function(m), "");
}

void add_overridable(TinyModel& m) {
  testing::add_m0(m);
  m.input("W", DType::float32, {2, 2});
}

TEST(AssumeConstant, TakesAnInputWithAnInitializerForAConstant) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  add_overridable(m);
  Both kept = run_both(m, feed("x", {1, 2}, {0, 255}));
  EXPECT_EQ(kept.plan.quantized, 0);
  Recipe r = testing::all_sizes();
  r.assume_constant = {"*"};
  Both b = run_both(m, feed("x", {1, 2}, {0, 255}), r);
  EXPECT_EQ(b.after(), kAnswer);
  EXPECT_EQ(b.count("MatMulInteger"), 1);
  EXPECT_EQ(b.model.graph().input_size(), 1);
  EXPECT_EQ(
      b.plan.prepared,
      (std::vector<std::string>{
          "'W' is assumed constant and no longer an input of the model"}));
}

TEST(AssumeConstant, NamesTheInputsThatAPatternMissed) {
  TinyModel m;
  add_overridable(m);
  const std::string bytes = m.bytes();
  Model model = open_model(testing::as_bytes(bytes));
  Recipe r = testing::all_sizes();
  r.assume_constant = {"w"};
  try {
    prepare_and_plan(model, r);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(e.what()).find("'W'"), std::string::npos);
  }
}

}  // namespace
}  // namespace octavo
