#include "quant/block_weight.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "octavo/quantize.h"
#include "testing/tiny_model.h"

namespace octavo {
namespace {

double error_of(const std::vector<float>& w, const kernels::Affine& a,
                const BlockFormat& f) {
  double sum = 0;
  for (const float v : w) {
    const double q = std::min<double>(
        f.levels(), std::max<double>(0, std::nearbyint(v / a.scale) + a.zero));
    const double d = v - static_cast<double>(a.scale) * (q - a.zero);
    sum += d * d;
  }
  return sum;
}

std::vector<float> random_block(size_t n, uint32_t seed) {
  std::mt19937 rng(seed);
  std::vector<float> w(n);
  for (float& v : w) {
    v = (static_cast<float>(rng() % 2001) - 1000) / 1000;
    if (rng() % 20 == 0) v *= 5;
  }
  return w;
}

TEST(FitBlock, MeetsTheExtremeAndHoldsZero) {
  BlockFormat f;
  const std::vector<float> w = {-1, 4, 2};
  // 4 is eight steps from zero, upside down: scale -0.5.
  EXPECT_EQ(fit_block(w.data(), 3, f).scale, -0.5f);
  EXPECT_EQ(fit_block(w.data(), 3, f).zero, 8);
  f.symmetric = false;
  // From -1 to 4 in 15 steps of a third; zero is three of them up.
  EXPECT_FLOAT_EQ(fit_block(w.data(), 3, f).scale, 1.0f / 3);
  EXPECT_EQ(fit_block(w.data(), 3, f).zero, 3);
  const std::vector<float> none = {0, 0};
  EXPECT_EQ(fit_block(none.data(), 2, f).scale, 1);
}

TEST(FitBlock, IsNeverWorseByTheSquaredError) {
  int better = 0;
  for (uint32_t seed = 0; seed < 200; ++seed)
    for (const int bits : {4, 8})
      for (const bool symmetric : {true, false}) {
        const auto w = random_block(16 + seed % 50, seed);
        BlockFormat f;
        f.bits = bits;
        f.symmetric = symmetric;
        const double range = error_of(w, fit_block(w.data(), w.size(), f), f);
        f.scaling = Scaling::mse;
        const double mse = error_of(w, fit_block(w.data(), w.size(), f), f);
        EXPECT_LE(mse, range * (1 + 1e-5));
        better += mse < 0.9 * range;
      }
  EXPECT_GT(better, 50);
}

// Whatever pieces are asked for: each format, odd shapes, both orders.
TEST(BlockWeight, GivesTheSameBytesInPiecesOfItsGrain) {
  for (const auto& [depth, outputs] :
       {std::pair<int64_t, int64_t>{48, 70}, {33, 3}, {1, 1}, {300, 129}}) {
    const auto w = random_block(static_cast<size_t>(depth * outputs), 3);
    testing::TinyModel m;
    m.floats("W", {depth, outputs}, w);
    m.node("Identity", {"W"}, {"y"});
    m.output("y", DType::float32, {depth, outputs});
    const std::string bytes = m.bytes();
    Model model = open_model(testing::as_bytes(bytes));
    const GraphIndex index(model.data());
    const Constant c = *resolve_constant(index, index.scopes()[0].get(), "W");
    for (const int bits : {4, 8})
      for (const bool packed : {true, false})
        for (const bool by_output : {true, false}) {
          BlockFormat f;
          f.bits = bits;
          f.packed = packed;
          f.symmetric = false;
          const auto weight =
              std::make_shared<BlockWeight>(model.data(), c, by_output, f);
          for (const Blob& blob :
               {weight->values(), weight->scales(1), weight->zeros()}) {
            std::vector<std::byte> whole(blob.size), pieces(blob.size);
            blob.lazy->fill(0, whole);
            const uint64_t grain = blob.lazy->grain();
            for (uint64_t at = 0; at < blob.size; at += grain)
              blob.lazy->fill(at, std::span(pieces).subspan(
                                      at, std::min(grain, blob.size - at)));
            EXPECT_EQ(whole, pieces);
          }
          EXPECT_FALSE(weight->non_finite);
        }
  }
}

TEST(BlockWeight, LeavesAWeightWithNaNFloat) {
  testing::TinyModel m;
  std::vector<float> w(64 * 8, 0.5f);
  w[77] = std::nanf("");
  m.input("x", DType::float32, {1, 64});
  m.floats("W", {64, 8}, w);
  m.node("MatMul", {"x", "W"}, {"y"}, "mm");
  m.output("y", DType::float32, {1, 8});
  const std::string bytes = m.bytes();
  QuantizeOptions options;
  options.recipe.weights = WeightForm::int4;
  const auto copy = quantize_bytes(testing::as_bytes(bytes), options);
  EXPECT_EQ(copy.plan.quantized, 0);
  EXPECT_EQ(copy.plan.decisions[0].reason,
            "its weight 'W' holds NaN or Inf, which int8 cannot");
}

}  // namespace
}  // namespace octavo
