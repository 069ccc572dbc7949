// Weights of every float type, empty ones, and types that are no floats, on the
// real runtime. The weights lie on the grid (weight_forms.h), and all of them
// are values of every float type: answers must be exact.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

#include "base/element.h"
#include "base/half.h"
#include "testing/both.h"
#include "testing/weight_forms.h"

namespace octavo {
namespace {

using testing::Both;
using testing::fill;
using testing::Form;
using testing::forms;
using testing::ordinary;
using testing::set_int;
using testing::TinyModel;

constexpr DType kFloats[] = {DType::float32, DType::float16, DType::bfloat16,
                             DType::float64};

// Small integers as a tensor of a float type.
Tensor encoded(DType type, const Shape& shape, const std::vector<float>& v) {
  Tensor t = make_tensor(type, shape);
  for (size_t i = 0; i < v.size(); ++i) {
    if (type == DType::float32) {
      t.as<float>()[i] = v[i];
    } else if (type == DType::float64) {
      t.as<double>()[i] = v[i];
    } else if (type == DType::bfloat16) {  // the upper half
      t.as<uint16_t>()[i] =
          static_cast<uint16_t>(std::bit_cast<uint32_t>(v[i]) >> 16);
    } else {  // the one of all float16 values that is equal
      for (uint32_t bits = 0; bits < 0x10000; ++bits)
        if (float16_value(static_cast<uint16_t>(bits)) == v[i])
          t.as<uint16_t>()[i] = static_cast<uint16_t>(bits);
    }
  }
  return t;
}

void add_initializer(TinyModel& m, const std::string& name, const Tensor& t) {
  auto& to = *m.proto().add_initializer();
  to.set_name(name);
  to.set_data_type(static_cast<int>(t.type));
  for (const int64_t d : t.shape) to.add_dims(d);
  to.set_raw_data(t.bytes.data(), t.bytes.size());
}

std::vector<float> inputs(const Shape& shape) {
  std::vector<float> x(static_cast<size_t>(element_count(shape)));
  for (size_t i = 0; i < x.size(); ++i) x[i] = i % 2 == 0 ? 255 : 3;
  return x;
}

Recipe recipe_of(const Form& form) {
  Recipe r = testing::all_sizes();
  r.conv = form.conv;
  return r;
}

Feed feed_of(TinyModel& m, const Form& form, DType type) {
  if (form.table()) {
    m.input("ids", DType::int64, form.x);
    return {{{"ids", make_tensor<int64_t>(DType::int64, form.x, {2, 0})}}};
  }
  m.input("x", type, form.x);
  return {{{"x", encoded(type, form.x, inputs(form.x))}}};
}

TEST(WeightTypes, ArriveThroughACast) {
  OCTAVO_NEED_RUNTIME();
  for (const Form& form : forms())
    for (const DType type : kFloats) {
      SCOPED_TRACE(form.name() + " " + std::string(dtype_name(type)));
      TinyModel m;
      const Feed f = feed_of(m, form, DType::float32);
      add_initializer(m, "W0", encoded(type, form.shape, fill(form, ordinary)));
      set_int(m.node("Cast", {"W0"}, {"W"}), "to", 1);
      form.add_to(m);
      m.output("y", DType::float32);
      Both b = run_both(m, f, recipe_of(form));
      EXPECT_EQ(b.after(), b.before());
      const Decision& d = b.plan.decisions.at(0);
      EXPECT_EQ(d.action, form.action);
      EXPECT_LT(d.bytes_after, d.bytes_before);
    }
}

// What the copy multiplies by, in place of all that it does with it.
std::vector<float> weight_of(onnx::ModelProto copy, const Form& form) {
  auto& graph = *copy.mutable_graph();
  int i = 0;
  while (graph.node(i).op_type() != form.op) ++i;
  TinyModel m;
  m.model() = copy;
  auto& node = *m.proto().mutable_node(i);
  const std::string weight = node.input(form.left ? 0 : 1);
  node = {};
  node.set_op_type("Cast");
  node.add_input(weight);
  node.add_output("w");
  set_int(node, "to", 1);
  m.proto().clear_input();
  m.proto().clear_output();
  m.output("w", DType::float32);
  const std::string bytes = m.bytes();
  const auto w = testing::run_bytes(testing::as_bytes(bytes), {});
  const auto values = w.at(0).tensor.as<float>();
  return {values.begin(), values.end()};
}

// The model's own type. Where the runtime cannot run the original, which it has
// no kernels for, only the copy's weight is.
TEST(WeightTypes, MayBeThoseOfTheModel) {
  OCTAVO_NEED_RUNTIME();
  for (const Form& form : forms())
    for (const DType type : kFloats) {
      SCOPED_TRACE(form.name() + " " + std::string(dtype_name(type)));
      TinyModel m;
      const Feed f = feed_of(m, form, type);
      add_initializer(m, "W", encoded(type, form.shape, fill(form, ordinary)));
      form.add_to(m);
      m.output("y", type);
      const std::string bytes = m.bytes();
      QuantizeOptions options;
      options.recipe = recipe_of(form);
      const auto q = quantize_bytes(testing::as_bytes(bytes), options);
      const Decision& d = q.plan.decisions.at(0);
      EXPECT_LT(d.bytes_after, d.bytes_before);
      // Integer products give float32; float16 is within it.
      const bool integer = form.action == Action::integer &&
                           (type == DType::float32 || type == DType::float16);
      const bool conv = form.action == Action::conv_integer;
      EXPECT_EQ(d.action, integer                          ? Action::integer
                          : conv && type == DType::float32 ? form.action
                          : form.table()                   ? Action::gather
                                                           : Action::storage);
      std::vector<Value> before;
      try {
        before = testing::run_bytes(testing::as_bytes(bytes), f);
      } catch (const Error&) {
        ASSERT_EQ(d.action, Action::storage);
        onnx::ModelProto copy;
        ASSERT_TRUE(copy.ParseFromArray(q.model.data(),
                                        static_cast<int>(q.model.size())));
        EXPECT_EQ(weight_of(std::move(copy), form), fill(form, ordinary));
        continue;
      }
      const auto after = testing::run_bytes(q.model, f);
      EXPECT_EQ(after[0].tensor.type, type);
      EXPECT_EQ(after[0].tensor.bytes, before[0].tensor.bytes);
    }
}

// One scale an output, wherever the outputs stand: the rows here differ by
// powers of two, which one scale a column could not hold exactly.
TEST(WeightTypes, OfStoredProductsHaveAScaleForEachOutput) {
  OCTAVO_NEED_RUNTIME();
  for (const Form& form : forms()) {
    if (form.action != Action::integer) continue;
    SCOPED_TRACE(form.name());
    TinyModel m;
    const Feed f = feed_of(m, form, DType::float64);
    add_initializer(
        m, "W",
        encoded(DType::float64, form.shape, fill(form, [](size_t g, size_t i) {
                  return std::ldexp(ordinary(g, i), 10 * static_cast<int>(g));
                })));
    form.add_to(m);
    m.output("y", DType::float64);
    Both b = run_both(m, f);
    EXPECT_EQ(b.plan.decisions.at(0).action, Action::storage);
    EXPECT_EQ(b.plan.decisions[0].bytes_after,
              element_count(form.shape) + 3 * 4);
    EXPECT_EQ(b.copy[0].tensor.bytes, b.original[0].tensor.bytes);
    // And the copy is known for what it is.
    const std::string copy = b.model.SerializeAsString();
    const auto again = quantize_bytes(testing::as_bytes(copy));
    EXPECT_EQ(again.plan.already.at("int8 storage"), 1);
  }
}

// 4 bytes for each output are more than is saved on few 16-bit weights.
TEST(WeightTypes, AreLeftWhereInt8WouldNotBeSmaller) {
  TinyModel m;
  m.input("x", DType::bfloat16, {1, 2});
  m.init<uint16_t>("W", DType::bfloat16, {2, 4}, std::vector<uint16_t>(8, 1));
  m.node("MatMul", {"x", "W"}, {"y"});
  m.input("z", DType::bfloat16, {4, 1});
  m.node("MatMul", {"W", "z"}, {"v"});
  m.output("y", DType::bfloat16).output("v", DType::bfloat16);
  const std::string bytes = m.bytes();
  const Plan plan =
      make_plan(open_model(testing::as_bytes(bytes)), testing::all_sizes());
  const std::string why =
      "integer products give float32, and it computes in bfloat16; int8 and "
      "its scales would need ";
  EXPECT_EQ(plan.decisions.at(0).reason, why + "24 bytes, and it has 16 now");
  EXPECT_EQ(plan.decisions.at(1).reason, why + "16 bytes, and it has 16 now");
}

// No weights, no activations, no outputs: nothing is left to quantize, or what
// is quantized runs on nothing.
TEST(WeightTypes, MayBeOfSizeZero) {
  OCTAVO_NEED_RUNTIME();
  struct {
    const char* op;
    Shape x, w, y;
    bool quantized;
  } cases[] = {{"MatMul", {1, 2}, {2, 0}, {1, 0}, false},
               {"MatMul", {1, 0}, {0, 3}, {1, 3}, false},
               {"MatMul", {0, 2}, {2, 3}, {0, 3}, true},
               {"MatMul", {2, 0, 2}, {2, 3}, {2, 0, 3}, true},
               {"MatMul", {0}, {0}, {}, false},
               {"Gemm", {1, 2}, {2, 0}, {1, 0}, false},
               {"Gemm", {0, 2}, {2, 3}, {0, 3}, true},
               {"Gather", {0}, {3, 4}, {0, 4}, true},
               {"Gather", {2}, {3, 0}, {2, 0}, false},
               {"Conv", {0, 2, 1, 1}, {3, 2, 1, 1}, {0, 3, 1, 1}, true}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.op + shape_text(c.x) + shape_text(c.w));
    const bool table = std::string(c.op) == "Gather";
    TinyModel m;
    const DType type = table ? DType::int64 : DType::float32;
    m.input("x", type, Shape(c.x.size(), -1));
    m.floats("W", c.w,
             std::vector<float>(static_cast<size_t>(element_count(c.w)), 127));
    if (table)
      m.node(c.op, {"W", "x"}, {"y"});
    else
      m.node(c.op, {"x", "W"}, {"y"});
    m.output("y", DType::float32);
    Both b = run_both(m, {{{"x", make_tensor(type, c.x)}}});
    EXPECT_EQ(b.plan.quantized, c.quantized);
    EXPECT_EQ(b.original[0].tensor.shape, c.y);
    EXPECT_EQ(b.copy[0].tensor.shape, c.y);
    EXPECT_EQ(b.after(), b.before());
  }
}

// Most of these no runtime would load.
TEST(WeightTypes, MayHaveAnyRankInAPlan) {
  for (const Form& form : forms())
    for (const Shape& shape : {Shape{}, Shape{4}, Shape{2, 2}, Shape{2, 2, 2},
                               Shape{0, 2}, Shape{1, 1, 1, 1, 1, 4}}) {
      SCOPED_TRACE(form.name() + " with " + shape_text(shape));
      TinyModel m;
      feed_of(m, form, DType::float32);
      m.floats(
          "W", shape,
          std::vector<float>(static_cast<size_t>(element_count(shape)), 1));
      form.add_to(m);
      m.output("y", DType::float32);
      const std::string bytes = m.bytes();
      const auto q =
          quantize_bytes(testing::as_bytes(bytes), {.recipe = recipe_of(form)});
      const Decision& d = q.plan.decisions.at(0);
      if (element_count(shape) == 0) {
        EXPECT_EQ(d.reason, "its weight is empty");
      }
      if (shape.empty()) {
        EXPECT_EQ(d.action, Action::keep);
      }
      EXPECT_EQ(d.action == Action::keep, d.bytes_after == d.bytes_before);
    }
}

// Types of 8 bits and less are no floats to Octavo, nor are integers.
TEST(WeightTypes, ThatAreNoFloatsStay) {
  const std::pair<DType, int> types[] = {
      {DType::float8e4m3fn, 8}, {DType::float8e4m3fnuz, 8},
      {DType::float8e5m2, 8},   {DType::float8e5m2fnuz, 8},
      {DType::float4e2m1, 4},   {DType::int4, 4},
      {DType::int8, 8},         {DType::int32, 32},
      {DType::complex64, 64},   {DType::boolean, 8}};
  for (const Form& form : forms())
    for (const auto& [type, bits] : types) {
      SCOPED_TRACE(form.name() + " " + std::string(dtype_name(type)));
      TinyModel m;
      feed_of(m, form, DType::float32);
      const auto size = static_cast<size_t>(element_count(form.shape) * bits);
      m.init<uint8_t>("W", type, form.shape,
                      std::vector<uint8_t>((size + 7) / 8, 1));
      form.add_to(m);
      m.output("y", DType::float32);
      const std::string bytes = m.bytes();
      const auto q =
          quantize_bytes(testing::as_bytes(bytes), {.recipe = recipe_of(form)});
      EXPECT_EQ(q.plan.quantized, 0);
      EXPECT_EQ(q.plan.decisions.at(0).reason,
                "its weight 'W' is " + std::string(dtype_name(type)) +
                    ", not float16, bfloat16, float32 or float64");
    }
}

// Values of float64 beyond float32 are no values of an int8 times a float32.
TEST(WeightTypes, OfFloat64MustBeWithinFloat32) {
  for (const Form& form : forms()) {
    SCOPED_TRACE(form.name());
    TinyModel m;
    feed_of(m, form, DType::float64);
    Tensor w = encoded(DType::float64, form.shape, fill(form, ordinary));
    w.as<double>()[1] = 1e39;
    add_initializer(m, "W", w);
    form.add_to(m);
    m.output("y", DType::float64);
    const std::string bytes = m.bytes();
    const auto q =
        quantize_bytes(testing::as_bytes(bytes), {.recipe = recipe_of(form)});
    EXPECT_EQ(q.plan.quantized, 0);
    EXPECT_NE(q.plan.decisions.at(0).reason.find(
                  "'W' holds NaN, Inf or values beyond float32"),
              std::string::npos)
        << q.plan.decisions[0].reason;
  }
}

}  // namespace
}  // namespace octavo
