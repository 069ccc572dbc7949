#include "octavo/tune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "octavo/error.h"
#include "octavo/quantize.h"
#include "testing/both.h"
#include "testing/fake_runner.h"
#include "testing/temp_folder.h"

namespace octavo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TempFolder;
using testing::TinyModel;

// For x = [0, 255] k, int8 weights are exact in both layers, and so is the
// first one computed in integers; the second one is not (switch_test.cc), by
// a relative L2 of 762 sqrt(2) / (127 sqrt(510^2 + 32385^2)) = 2.6e-4.
// All the rest of the layers is zeros, so that there is something to save.
class Tune : public ::testing::Test {
 protected:
  static constexpr int64_t kWidth = 64;
  static std::vector<float> wide(const std::vector<float>& first,
                                 const std::vector<float>& second = {}) {
    std::vector<float> out(second.empty() ? kWidth : kWidth * kWidth);
    std::copy(first.begin(), first.end(), out.begin());
    std::copy(second.begin(), second.end(), out.begin() + kWidth);
    return out;
  }
  void add_sample(float x) {
    samples_.add(make_tensor<float>(DType::float32, {1, kWidth}, wide({0, x})));
  }

  // `w` is the second element of the first layer's second row.
  void write(float w) {
    TinyModel m;
    m.input("x", DType::float32, {1, kWidth});
    m.floats("W1", {kWidth, kWidth}, wide({127, 127}, {2, w}));
    m.floats("W2", {kWidth, kWidth}, wide({127, 0}, {0, 127}));
    m.node("MatMul", {"x", "W1"}, {"p"}, "one");
    m.node("MatMul", {"p", "W2"}, {"q"}, "two");
    m.output("q", DType::float32, {1, kWidth});
    std::ofstream(model(), std::ios::binary) << m.bytes();
  }
  void SetUp() override {
    write(-127);
    for (int i = 0; i < 12; ++i) add_sample(255);
    options_.scratch = folder_.path();
    options_.recipe = testing::all_sizes();
    options_.timing_seconds = 0.02;
    options_.found = [this](const Recipe& r) { found_.push_back(r); };
  }

  std::filesystem::path model() const { return folder_.path() / "net.onnx"; }
  TuneResult run(const std::vector<std::string>& limits) {
    options_.limits.clear();
    for (const auto& l : limits) options_.limits.push_back(parse_limit(l));
    found_.clear();
    return tune(testing::runtime_or_null(), model(), samples_, options_);
  }
  static const TuneRow* named(const TuneResult& r, const std::string& name) {
    for (const TuneRow& row : r.rows)
      if (row.name == name) return &row;
    return nullptr;
  }

  TempFolder folder_;
  testing::ListSource samples_;
  TuneOptions options_;
  std::vector<Recipe> found_;
};

TEST_F(Tune, TakesAWholeStrategyThatKeepsTheLimits) {
  OCTAVO_NEED_RUNTIME();
  const TuneResult r = run({"q.relative_l2 <= 0.01"});
  EXPECT_TRUE(r.met);
  ASSERT_TRUE(named(r, "storage") && named(r, "dynamic"));
  EXPECT_EQ(named(r, "storage")->error, 0);
  EXPECT_NEAR(named(r, "dynamic")->error, 2.62e-4, 1e-6);
  EXPECT_EQ(r.rows.size(), 3);  // nothing had to be mixed
  EXPECT_TRUE(r.rows[r.chosen].within);
  ASSERT_TRUE(r.holdout);
  EXPECT_EQ(r.search_samples + r.holdout_samples, 12);
  EXPECT_EQ(r.holdout->samples, r.holdout_samples);
}

TEST_F(Tune, MixesTheLayersThatTheLimitsAllow) {
  OCTAVO_NEED_RUNTIME();
  const TuneResult r = run({"q.relative_l2 <= 0.0001"});
  EXPECT_TRUE(r.met);
  EXPECT_FALSE(named(r, "dynamic")->within);
  const TuneRow* mixed = named(r, "1 dynamic, 1 stored");
  ASSERT_TRUE(mixed);
  EXPECT_TRUE(mixed->within);
  EXPECT_EQ(mixed->error, 0);
  EXPECT_THAT(mixed->milder, ElementsAre("two"));
  EXPECT_EQ(mixed->layers, 2);
}

TEST_F(Tune, GivesAPlanThatMakesTheChosenModelAgain) {
  OCTAVO_NEED_RUNTIME();
  const TuneResult r = run({"q.relative_l2 <= 0.0001"});
  const auto copy = folder_.path() / "copy.onnx";
  QuantizeOptions quantize;
  quantize.recipe = r.recipe;
  quantize.provenance = false;
  const auto made = quantize_file(model(), copy, quantize);
  EXPECT_EQ(made.bytes_after, r.rows[r.chosen].bytes);
  ASSERT_FALSE(found_.empty());
  EXPECT_EQ(found_.back().wishes.size(), r.recipe.wishes.size());
}

TEST_F(Tune, LeavesTheNearestWhereNothingKeepsTheLimits) {
  OCTAVO_NEED_RUNTIME();
  const TuneResult r = run({"size.ratio <= 0.0001"});
  EXPECT_FALSE(r.met);
  EXPECT_EQ(r.rows[r.chosen].name, "storage");  // the least error
  EXPECT_EQ(found_.size(), 1);
  EXPECT_FALSE(r.rows[r.chosen].checks.at(0).ok);
}

TEST_F(Tune, MeasuresNothingTwice) {
  OCTAVO_NEED_RUNTIME();
  options_.state = folder_.path() / "state.json";
  const TuneResult first = run({"q.relative_l2 <= 0.0001"});
  EXPECT_EQ(first.recalled, 0);
  const TuneResult again = run({"q.relative_l2 <= 0.0001"});
  EXPECT_EQ(again.recalled, again.evaluations);
  EXPECT_EQ(again.evaluations, first.evaluations);
  EXPECT_EQ(again.rows[again.chosen].name, first.rows[first.chosen].name);
}

TEST_F(Tune, MeasuresOneModelWhateverTheBudget) {
  OCTAVO_NEED_RUNTIME();
  options_.budget_seconds = 0;
  const TuneResult r = run({"q.relative_l2 <= 0.01"});
  EXPECT_TRUE(r.out_of_time);
  EXPECT_EQ(r.rows.size(), 2);
  EXPECT_TRUE(r.met);
  EXPECT_EQ(found_.size(), 1);
}

TEST_F(Tune, KeepsNothingAsideWhereSamplesAreFew) {
  OCTAVO_NEED_RUNTIME();
  samples_.list.resize(3);
  const TuneResult r = run({"q.relative_l2 <= 0.01"});
  EXPECT_TRUE(r.met);
  EXPECT_FALSE(r.holdout);
  EXPECT_EQ(r.search_samples, 3);
}

// No int8 form of the first layer is exact on 2 of the 12 batches. Where the
// search sees neither, it believes that they are; the held-out samples do not.
TEST_F(Tune, BelievesTheHeldOutSamples) {
  OCTAVO_NEED_RUNTIME();
  write(-63.3F);  // between two steps of its column's scale, 1
  samples_.list.clear();
  for (int k = 0; k < 12; ++k) add_sample(k < 2 ? 255 : 0);
  options_.holdout = 0.5;
  int refuted = 0;
  for (options_.seed = 0; options_.seed < 12; ++options_.seed) {
    const TuneResult r = run({"q.max_abs <= 0"});
    ASSERT_TRUE(r.holdout);
    const bool exact = r.rows[r.chosen].layers > 0;  // `one` is float in it
    EXPECT_EQ(r.met, exact);
    EXPECT_EQ(r.holdout->checks.at(0).ok, exact);
    refuted += !exact;
  }
  EXPECT_GT(refuted, 0);
  EXPECT_LT(refuted, 12);
}

TEST_F(Tune, EndsWhenStopped) {
  OCTAVO_NEED_RUNTIME();
  const std::atomic<bool> stop = true;
  options_.stop = &stop;
  const TuneResult r = run({"q.relative_l2 <= 0.01"});
  EXPECT_TRUE(r.partial);
  EXPECT_EQ(r.chosen, 0);
  EXPECT_TRUE(found_.empty());
}

TEST_F(Tune, NeedsToKnowWhatIsGoodEnough) {
  OCTAVO_NEED_RUNTIME();
  try {
    run({});
    FAIL() << "searched without a limit";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("give a limit"));
  }
}

}  // namespace
}  // namespace octavo
