// Weights at the edge of the normal numbers and below: where the writer lets
// the processor take subnormal numbers for zeros, and where it must not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "octavo/quantize.h"
#include "testing/tiny_model.h"

namespace octavo {
namespace {

constexpr float kSmallest = std::numeric_limits<float>::min();

// The int8 form of a matrix [rows, cols], with one scale a column.
std::vector<int8_t> quantized(const std::vector<float>& w, int64_t cols,
                              bool turned) {
  const auto rows = static_cast<int64_t>(w.size()) / cols;
  testing::TinyModel m;
  m.input("x", DType::float32, {2, rows});
  if (turned) {
    std::vector<float> t(w.size());
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < cols; ++c)
        t[static_cast<size_t>(c * rows + r)] =
            w[static_cast<size_t>(r * cols + c)];
    m.floats("W", {cols, rows}, t);
    testing::set_int(m.node("Gemm", {"x", "W"}, {"y"}), "transB", 1);
  } else {
    m.floats("W", {rows, cols}, w);
    m.node("MatMul", {"x", "W"}, {"y"});
  }
  m.output("y", DType::float32, {2, cols});
  QuantizeOptions options;
  options.recipe.min_bytes = 0;
  const std::string bytes = m.bytes();
  const auto result = quantize_bytes(testing::as_bytes(bytes), options);
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromArray(result.model.data(),
                                   static_cast<int>(result.model.size())));
  for (const auto& t : model.graph().initializer())
    if (t.data_type() == static_cast<int>(DType::int8))
      return {t.raw_data().begin(), t.raw_data().end()};
  return {};
}

// docs/quantize.md: scale = max / 127, or 1 where that is no normal number.
std::vector<int8_t> obvious(const std::vector<float>& w, size_t cols) {
  std::vector<int8_t> q(w.size());
  for (size_t c = 0; c < cols; ++c) {
    float most = 0;
    for (size_t i = c; i < w.size(); i += cols)
      most = std::max(most, std::fabs(w[i]));
    auto scale = static_cast<float>(static_cast<double>(most) / 127);
    if (scale < kSmallest) scale = 1;
    for (size_t i = c; i < w.size(); i += cols)
      q[i] = static_cast<int8_t>(std::nearbyint(w[i] / scale));
  }
  return q;
}

// Columns whose largest values are those given, the rest parts of these, some
// of them halves of a step, and subnormal numbers.
std::vector<float> columns(const std::vector<float>& largest) {
  std::vector<float> w;
  for (const float part : {1.0f, -0.25f, 0.3f, 1 / 127.0f, 1.5f / 127,
                           -0.5f / 127, 0.25f / 127, 0x1p-30f, 0.0f})
    for (const float most : largest) w.push_back(most * part);
  for (const float tiny : {1e-45f, -1e-42f, 0x1.fffffcp-127f})
    for (const float most : largest) w.push_back(std::min(most, tiny));
  return w;
}

TEST(SmallWeights, AreRoundedExactly) {
  const std::vector<std::vector<float>> all = {
      {1e-45f, 1e-40f, 0x1.8p-127f},  // nothing but subnormal numbers
      {kSmallest, 126 * kSmallest, 127 * kSmallest, 128 * kSmallest, 1},
      {254 * kSmallest, 508 * kSmallest, 507 * kSmallest, 1e-30f},
      {508 * kSmallest, 600 * kSmallest, 1e-30f, 1, 1e-45f, 1e30f}};
  for (const auto& largest : all)
    for (const bool turned : {false, true}) {
      const auto w = columns(largest);
      EXPECT_EQ(quantized(w, static_cast<int64_t>(largest.size()), turned),
                obvious(w, largest.size()))
          << largest[0] << turned;
    }
  // The caller's own arithmetic is left as it was.
  volatile float tiny = 1e-40f;
  EXPECT_GT(tiny * 2, 0.0f);
}

}  // namespace
}  // namespace octavo
