#include "octavo/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "octavo/quantize.h"
#include "testing/both.h"
#include "testing/random_graph.h"
#include "testing/temp_folder.h"

namespace octavo {
namespace {

using testing::TempFolder;
using testing::TinyModel;

// One batch, given whole.
class OneBatch : public SampleSource {
 public:
  explicit OneBatch(Feed feed) : feed_(std::move(feed)) {}
  int64_t batches() const override { return 1; }
  int64_t samples() const override { return 1; }
  Batch batch(int64_t) const override { return {feed_, 0, 1, "batch 0"}; }
  std::string description() const override { return "one batch"; }

 private:
  Feed feed_;
};

class Layers : public ::testing::Test {
 protected:
  LayersResult measure(TinyModel& m, const Feed& feed,
                       LayersOptions options = {}) {
    return measure(m, m, feed, std::move(options));
  }

  // The copy is made of `other`.
  LayersResult measure(TinyModel& m, TinyModel& other, const Feed& feed,
                       LayersOptions options = {},
                       const Recipe& recipe = testing::all_sizes()) {
    const auto original = folder_.path() / "net.onnx";
    const auto copy = folder_.path() / "net.int8.onnx";
    std::ofstream(copy, std::ios::binary) << other.bytes();
    std::ofstream(original, std::ios::binary) << m.bytes();
    QuantizeOptions q;
    q.recipe = recipe;
    quantize_file(copy, copy, q);
    options.scratch = folder_.path();
    return compare_layers(testing::runtime_or_null(), original, copy,
                          OneBatch(feed), options);
  }

  TempFolder folder_;
};

// Three layers whose errors are known. For x = [0, 255] the first has scales of
// 1 and is exact: p = [510, -32385]. DynamicQuantizeLinear gives p a scale of
// 32895 / 255 = 129, so that the second sees [4, -251] x 129 = [516, -32379]:
// off by 6 in each, times 127. Then [-64770, 4113150] is added, and the third
// would get [0, 255] in the original, which is exact; in the copy it gets
// [762, 1017], of which its weights [0, 127] take the second.
void add_three_layers(TinyModel& m) {
  m.input("x", DType::float32, {1, 2});
  m.floats("W1", {2, 2}, {127, 1, 2, -127});
  m.floats("W2", {2, 2}, {127, 0, 0, 127});
  m.floats("W3", {2, 1}, {0, 127});
  m.floats("c", {2}, {-64770, 4113150});
  m.node("MatMul", {"x", "W1"}, {"p"}, "one");
  m.node("MatMul", {"p", "W2"}, {"q"}, "two");
  m.node("Add", {"q", "c"}, {"r"}, "add");
  m.node("MatMul", {"r", "W3"}, {"s"}, "three");
  m.output("s", DType::float32, {1, 1});
}

double max_abs(const OutputSummary& o) {
  return o.max_abs ? std::get<double>(*o.max_abs) : -1;
}

void expect_three(const LayersResult& r) {
  ASSERT_EQ(r.layers.size(), 3);
  EXPECT_EQ(r.layers[0].node, "one");
  EXPECT_EQ(r.layers[0].before, "MatMul");
  EXPECT_EQ(r.layers[0].after, "MatMulInteger");
  ASSERT_TRUE(r.layers[2].isolated);
  EXPECT_EQ(max_abs(r.layers[0].cumulative), 0);
  EXPECT_EQ(max_abs(*r.layers[0].isolated), 0);
  EXPECT_EQ(max_abs(r.layers[1].cumulative), 6 * 127);
  EXPECT_EQ(max_abs(*r.layers[1].isolated), 6 * 127);
  EXPECT_EQ(max_abs(*r.layers[2].isolated), 0);
  // Within the rounding of the scale 1017 / 255 in float32.
  EXPECT_NEAR(max_abs(r.layers[2].cumulative), 762 * 127, 0.1);
  EXPECT_EQ(r.samples, 1);
  EXPECT_FALSE(r.partial);
}

TEST_F(Layers, TellALayersOwnErrorFromWhatItInherits) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  add_three_layers(m);
  expect_three(measure(m, testing::feed("x", {1, 2}, {0, 255})));
}

TEST_F(Layers, AreTheSameInSeveralPasses) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  add_three_layers(m);
  LayersOptions options;
  options.layers_a_pass = 1;
  expect_three(measure(m, testing::feed("x", {1, 2}, {0, 255}), options));
  // Nothing stays behind.
  EXPECT_THAT(std::vector<std::filesystem::path>(
                  std::filesystem::directory_iterator(folder_.path()), {}),
              ::testing::SizeIs(2));
}

TEST_F(Layers, LookAtOldModelsWhoseInitializersAreInputs) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m(11, 3);
  m.input("x", DType::float32, {1, 2});
  m.input("W", DType::float32, {2, 2});
  m.floats("W", {2, 2}, {127, 1, 2, -127});
  m.node("MatMul", {"x", "W"}, {"p"}, "one");
  m.node("Neg", {"p"}, {"y"});
  m.output("y", DType::float32, {1, 2});
  const auto r = measure(m, testing::feed("x", {1, 2}, {0, 255}));
  ASSERT_EQ(r.layers.size(), 1);
  ASSERT_TRUE(r.layers[0].isolated);
  EXPECT_EQ(max_abs(*r.layers[0].isolated), 0);
}

// Stored weights have the original's name in the copy; the isolated layer must
// use the copy's. A scale of 1 rounds 0.4 to 0, which costs 0.4 x 10.
TEST_F(Layers, UseTheCopysWeightsForStoredOnesToo) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {1, 2, 1, 1});
  m.floats("W", {1, 2, 1, 1}, {127, 0.4f});
  m.node("Conv", {"x", "W"}, {"p"}, "conv");
  m.node("Neg", {"p"}, {"y"});
  m.output("y", DType::float32, {1, 1, 1, 1});
  const auto r = measure(m, testing::feed("x", {1, 2, 1, 1}, {3, 10}));
  ASSERT_EQ(r.layers.size(), 1);
  EXPECT_EQ(r.layers[0].after, "Conv of int8 storage");
  ASSERT_TRUE(r.layers[0].isolated);
  EXPECT_NEAR(max_abs(*r.layers[0].isolated), 4, 1e-4);
  EXPECT_NEAR(max_abs(r.layers[0].cumulative), 4, 1e-4);
}

TEST_F(Layers, ReadTablesAndShareOneActivation) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("i", DType::int64, {2});
  m.floats("T", {3, 2}, {127, 0.4f, 3, -127, 0.25f, 127});
  m.floats("W", {2, 2}, {127, 1, 2, -127});
  m.node("Gather", {"T", "i"}, {"e"}, "table");
  m.node("MatMul", {"e", "W"}, {"a"}, "one");
  m.node("MatMul", {"e", "W"}, {"b"}, "two");
  m.node("Add", {"a", "b"}, {"y"});
  m.output("y", DType::float32, {2, 2});
  Feed feed;
  feed.inputs.push_back({"i", make_tensor<int64_t>(DType::int64, {2}, {0, 2})});
  const auto r = measure(m, feed);
  ASSERT_EQ(r.layers.size(), 3);
  // Row scales of 1: 0.4 and 0.25 are lost.
  ASSERT_TRUE(r.layers[0].isolated);
  EXPECT_NEAR(max_abs(*r.layers[0].isolated), 0.4, 1e-6);
  // The same layer twice has the same error twice.
  EXPECT_EQ(max_abs(*r.layers[1].isolated), max_abs(*r.layers[2].isolated));
}

// Operators of another version may compute something else.
TEST_F(Layers, AreNotIsolatedAcrossVersionsOfOperators) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m(13), other(14);
  add_three_layers(m);
  add_three_layers(other);
  const auto r = measure(m, other, testing::feed("x", {1, 2}, {0, 255}));
  ASSERT_EQ(r.layers.size(), 3);
  for (const auto& l : r.layers) EXPECT_FALSE(l.isolated);
  EXPECT_EQ(max_abs(r.layers[1].cumulative), 6 * 127);
}

TEST_F(Layers, SayThatTheyWereStopped) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  add_three_layers(m);
  const std::atomic<bool> stop = true;
  LayersOptions options;
  options.stop = &stop;
  const auto r = measure(m, testing::feed("x", {1, 2}, {0, 255}), options);
  EXPECT_TRUE(r.partial);
  EXPECT_TRUE(r.layers.empty());
}

// Whatever the graph: what can be compared can be measured layer by layer, and
// a layer that no other comes before has no error but its own.
TEST_F(Layers, OfRandomGraphsCanBeMeasured) {
  OCTAVO_NEED_RUNTIME();
  const int64_t newest = testing::newest_opset();
  int layers = 0, isolated = 0, first = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    auto g = testing::random_graph(seed, testing::kMaxSteps, newest);
    const auto verdict = testing::judge(g, testing::runtime_or_null());
    if (!verdict.ran || !verdict.fault.empty()) continue;
    const auto r = measure(*g.model, *g.model, g.feed, {}, g.recipe);
    for (size_t i = 0; i < r.layers.size(); ++i) {
      const auto& l = r.layers[i];
      EXPECT_EQ(l.cumulative.failure, "");
      ++layers;
      if (!l.isolated) continue;
      ++isolated;
      // Layers in bodies are not listed, but come before.
      if (i > 0 || g.text.find("= If") != std::string::npos) continue;
      ++first;
      EXPECT_EQ(l.isolated->max_abs, l.cumulative.max_abs) << l.value;
      EXPECT_EQ(l.isolated->equal, l.cumulative.equal) << l.value;
    }
  }
  EXPECT_GT(first, 15);
  EXPECT_GT(isolated, layers / 2);
}

TEST_F(Layers, OfNothingQuantizedAreNone) {
  OCTAVO_NEED_RUNTIME();
  TinyModel m;
  m.input("x", DType::float32, {1});
  m.node("Neg", {"x"}, {"y"});
  m.output("y", DType::float32, {1});
  EXPECT_TRUE(measure(m, testing::feed("x", {1}, {1})).layers.empty());
}

}  // namespace
}  // namespace octavo
