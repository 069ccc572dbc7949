// Pairs of int8 weights that could saturate, counted while they are written,
// against a count over the written model.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "octavo/quantize.h"
#include "testing/tiny_model.h"

namespace octavo {
namespace {

using testing::TinyModel;

// Uneven values, large ones among them, from a linear congruence.
std::vector<float> values(size_t n) {
  std::vector<float> v(n);
  uint32_t state = 1;
  for (float& x : v) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<float>(static_cast<int>(state >> 16) % 2001 - 1000) / 997;
  }
  return v;
}

QuantizedBytes quantized(const TinyModel& m, bool reduce_range) {
  QuantizeOptions options;
  options.recipe.min_bytes = 0;
  options.recipe.reduce_range = reduce_range;
  const std::string bytes = m.bytes();
  return quantize_bytes(testing::as_bytes(bytes), options);
}

// The only int8 initializer with matrices, as the bytes of [.., rows, cols].
struct Stored {
  std::vector<int8_t> q;
  size_t rows = 0, cols = 0;
};
Stored stored(const QuantizedBytes& result) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromArray(result.model.data(),
                                   static_cast<int>(result.model.size())));
  Stored s;
  for (const auto& t : model.graph().initializer()) {
    if (t.data_type() != static_cast<int>(DType::int8) || t.dims_size() < 2)
      continue;
    EXPECT_TRUE(s.q.empty()) << "stored twice";
    s.q.assign(t.raw_data().begin(), t.raw_data().end());
    s.rows = static_cast<size_t>(t.dims(t.dims_size() - 2));
    s.cols = static_cast<size_t>(t.dims(t.dims_size() - 1));
  }
  return s;
}

// 255 times the positive, or the negative, part of a pair against int16.
Saturation counted(const Stored& s, bool along_rows) {
  Saturation out;
  const size_t depth = along_rows ? s.cols : s.rows;
  const size_t step = along_rows ? 1 : s.cols;
  const size_t lines = along_rows ? s.rows : s.cols;
  const size_t next = along_rows ? s.cols : 1;
  for (size_t m = 0; m < s.q.size(); m += s.rows * s.cols)
    for (size_t line = 0; line < lines; ++line)
      for (size_t k = 0; k + 1 < depth; k += 2) {
        const int8_t* at = s.q.data() + m + line * next + k * step;
        const int a = at[0], b = at[step];
        const int high = 255 * (std::max(a, 0) + std::max(b, 0));
        const int low = 255 * (std::min(a, 0) + std::min(b, 0));
        ++out.pairs;
        out.at_risk += high > 32767 || low < -32768;
      }
  return out;
}

struct Case {
  const char* name;
  std::function<void(TinyModel&)> build;
  bool along_rows;  // of what is stored
};

const Case kCases[] = {
    {"MatMul",
     [](TinyModel& m) {
       m.input("x", DType::float32, {-1, 67});
       m.floats("W", {67, 130}, values(67 * 130));
       m.node("MatMul", {"x", "W"}, {"y"});
     },
     false},
    {"Gemm with transB",
     [](TinyModel& m) {
       m.input("x", DType::float32, {-1, 131});
       m.floats("W", {66, 131}, values(66 * 131));
       testing::set_int(m.node("Gemm", {"x", "W"}, {"y"}), "transB", 1);
     },
     false},
    {"batches of odd depth",
     [](TinyModel& m) {
       m.input("x", DType::float32, {3, -1, 5});
       m.floats("W", {3, 5, 7}, values(3 * 5 * 7));
       m.node("MatMul", {"x", "W"}, {"y"});
     },
     false},
    {"batches of odd depth, turned over",
     [](TinyModel& m) {
       m.input("x", DType::float32, {3, -1, 67});
       m.floats("V", {3, 9, 67}, values(3 * 9 * 67));
       testing::set_ints(m.node("Transpose", {"V"}, {"W"}), "perm", {0, 2, 1});
       m.node("MatMul", {"x", "W"}, {"y"});
     },
     false},
};

TEST(Saturation, IsCountedAsWritten) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    TinyModel m;
    c.build(m);
    m.output("y", DType::float32);
    const QuantizedBytes full = quantized(m, false);
    const Saturation want = counted(stored(full), c.along_rows);
    ASSERT_EQ(full.saturation.size(), 1u);
    EXPECT_EQ(full.saturation[0].pairs, want.pairs);
    EXPECT_EQ(full.saturation[0].at_risk, want.at_risk);
    EXPECT_GT(want.at_risk, 0u);

    const QuantizedBytes reduced = quantized(m, true);
    ASSERT_EQ(reduced.saturation.size(), 1u);
    EXPECT_EQ(reduced.saturation[0].pairs, want.pairs);
    EXPECT_EQ(reduced.saturation[0].at_risk, 0u);
    for (const int8_t q : stored(reduced).q) EXPECT_LE(std::abs(q), 64);
  }
}

// An embedding that is also the head is stored once, as rows of the table; the
// products sum along these.
TEST(Saturation, IsCountedAlongTheRowsOfATiedTable) {
  TinyModel m;
  m.input("ids", DType::int64, {-1});
  m.input("x", DType::float32, {-1, 71});
  m.floats("E", {70, 71}, values(70 * 71));
  m.node("Gather", {"E", "ids"}, {"rows"});
  m.node("Transpose", {"E"}, {"T"});
  m.node("MatMul", {"x", "T"}, {"y"});
  m.output("rows", DType::float32);
  m.output("y", DType::float32);
  const QuantizedBytes q = quantized(m, false);
  const Saturation want = counted(stored(q), true);
  ASSERT_EQ(q.saturation.size(), 1u);
  EXPECT_EQ(q.saturation[0].weight, "E");
  EXPECT_EQ(q.saturation[0].pairs, want.pairs);
  EXPECT_EQ(q.saturation[0].at_risk, want.at_risk);
  EXPECT_GT(want.at_risk, 0u);
}

// Without products in int8 there is nothing to saturate: what is gathered or
// stored is float again, and ConvInteger takes uint8.
TEST(Saturation, ConcernsInt8ProductsOnly) {
  TinyModel m;
  m.input("ids", DType::int64, {-1});
  m.input("x", DType::float32, {1, 2, 5, 5});
  m.floats("E", {70, 8}, values(560));
  m.floats("K", {4, 2, 3, 3}, values(72));
  m.node("Gather", {"E", "ids"}, {"rows"});
  m.node("Conv", {"x", "K"}, {"y"});
  m.output("rows", DType::float32);
  m.output("y", DType::float32);
  for (const ConvMode conv : {ConvMode::storage, ConvMode::integer}) {
    QuantizeOptions options;
    options.recipe.min_bytes = 0;
    options.recipe.conv = conv;
    const std::string bytes = m.bytes();
    const auto q = quantize_bytes(testing::as_bytes(bytes), options);
    EXPECT_EQ(q.plan.quantized, 2);
    EXPECT_TRUE(q.saturation.empty());
  }
}

}  // namespace
}  // namespace octavo
