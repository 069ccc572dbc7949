#include "compare/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "octavo/error.h"
#include "testing/fake_runner.h"

namespace octavo {
namespace {

using ::testing::DoubleNear;
using testing::FakeRunner;
using ::testing::HasSubstr;
using testing::ListSource;
using testing::port;

Tensor floats(const Shape& shape, const std::vector<float>& v) {
  return make_tensor<float>(DType::float32, shape, v);
}

MatchStats stats_of(MatchKind kind, double least, const Tensor& r,
                    const Tensor& c, int64_t batch = 0) {
  MatchStats s;
  s.spec = {"y", kind, least};
  update(s, Value(r), Value(c), {batch, batch, 1, "y"});
  return s;
}

TEST(Match, KnowsHowMuchBoxesOverlap) {
  const double a[] = {0, 0, 2, 2}, b[] = {1, 1, 3, 3}, c[] = {5, 5, 6, 6};
  const double line[] = {0, 0, 0, 2}, inside_out[] = {2, 2, 0, 0};
  EXPECT_DOUBLE_EQ(box_iou(a, a), 1);
  EXPECT_DOUBLE_EQ(box_iou(a, b), 1.0 / 7);
  EXPECT_EQ(box_iou(a, c), 0);
  EXPECT_EQ(box_iou(line, line), 0);
  EXPECT_EQ(box_iou(inside_out, a), 0);
}

TEST(Match, PairsBoxesWhateverTheirOrderAndNumber) {
  // The copy finds the second box exactly, the first one half as wide
  // (IoU 1/2), and one that is not there; the third is lost.
  const auto m = finish(
      stats_of(MatchKind::iou, 0.5,
               floats({1, 3, 4}, {0, 0, 2, 2, 5, 5, 6, 6, 8, 8, 9, 9}),
               floats({1, 3, 4}, {5, 5, 6, 6, 0, 0, 1, 2, 20, 20, 21, 21})));
  EXPECT_EQ(m.sets, 1);
  EXPECT_EQ(m.matched, 2);
  EXPECT_THAT(*m.recall, DoubleNear(2.0 / 3, 1e-12));
  EXPECT_THAT(*m.precision, DoubleNear(2.0 / 3, 1e-12));
  EXPECT_THAT(*m.mean, DoubleNear(0.75, 1e-12));
  EXPECT_THAT(*m.worst, DoubleNear(0.5, 1e-12));
}

TEST(Match, TakesTheLikestFirst) {
  // The copy's only box overlaps the first by 2/3 and the second by 1: it
  // belongs to the second.
  const auto m = finish(stats_of(MatchKind::iou, 0.1,
                                 floats({2, 4}, {0, 0, 2, 2, 0, 0, 3, 2}),
                                 floats({1, 4}, {0, 0, 3, 2})));
  EXPECT_EQ(m.matched, 1);
  EXPECT_EQ(*m.mean, 1);
  EXPECT_EQ(*m.recall, 0.5);
  EXPECT_EQ(*m.precision, 1);
}

TEST(Match, PairsVectorsByCosine) {
  const auto m =
      finish(stats_of(MatchKind::cosine, 0.9, floats({2, 2}, {1, 0, 0, 5}),
                      floats({3, 2}, {0, 1, 3, 0, 0, 0})));
  EXPECT_EQ(m.matched, 2);
  EXPECT_EQ(*m.recall, 1);
  EXPECT_THAT(*m.precision, DoubleNear(2.0 / 3, 1e-12));
}

TEST(Match, KeepsSetsApart) {
  // The same boxes in swapped images are no pairs.
  const auto m = finish(stats_of(MatchKind::iou, 0.5,
                                 floats({2, 1, 4}, {0, 0, 1, 1, 5, 5, 6, 6}),
                                 floats({2, 1, 4}, {5, 5, 6, 6, 0, 0, 1, 1})));
  EXPECT_EQ(m.sets, 2);
  EXPECT_EQ(m.matched, 0);
  EXPECT_FALSE(m.mean);
}

TEST(Match, TakesEmptySets) {
  const auto m = finish(
      stats_of(MatchKind::iou, 0.5, floats({0, 4}, {}), floats({0, 4}, {})));
  EXPECT_EQ(m.sets, 1);
  EXPECT_FALSE(m.recall || m.precision || m.mean);
  EXPECT_EQ(m.failed_batches, 0);
}

TEST(Match, NamesWhatIsNoSet) {
  const auto five = floats({1, 5}, {0, 0, 1, 1, 1});
  EXPECT_THAT(finish(stats_of(MatchKind::iou, 0.5, five, five)).failure,
              HasSubstr("no sets of boxes of 4 numbers"));
  EXPECT_THAT(
      finish(stats_of(MatchKind::cosine, 0.5, five, floats({1, 2}, {1, 1})))
          .failure,
      HasSubstr("no sets of equal vectors"));
  EXPECT_THAT(
      finish(stats_of(MatchKind::cosine, 0.5, floats({}, {1}), five)).failure,
      HasSubstr("floating tensors of items were expected"));
}

TEST(Match, AddsUpOverShards) {
  const auto r = floats({1, 4}, {0, 0, 2, 2});
  MatchStats a = stats_of(MatchKind::iou, 0.1, r, r);
  merge(a, stats_of(MatchKind::iou, 0.1, r, floats({1, 4}, {0, 0, 1, 2}), 1));
  Packer out;
  put(out, a);
  const auto bytes = out.take();
  Unpacker in(bytes);
  MatchStats read;
  get(in, read);
  const auto m = finish(read);
  EXPECT_EQ(m.matched, 2);
  EXPECT_EQ(*m.mean, 0.75);
  EXPECT_EQ(*m.worst, 0.5);
  EXPECT_EQ(m.spec.output, "y");
}

TEST(Match, FindsTheOutputsThatSuit) {
  Port boxes = port("boxes"), scores = port("scores");
  boxes.dims = {{-1, "n"}, {4, ""}};
  scores.dims = {{-1, "n"}, {80, ""}};
  const MatchSpec iou = {"", MatchKind::iou, 0.5};
  const auto found = match_specs({iou}, {scores, boxes});
  EXPECT_FALSE(found[0]);
  EXPECT_EQ(found[1]->output, "boxes");
  EXPECT_THROW(match_specs({iou}, {scores}), Error);
  try {
    match_specs({{"boxs", MatchKind::iou, 0.5}}, {boxes});
    FAIL() << "took a name that is none";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'boxes'?"));
  }
}

// Unequal numbers of detections are no failure any more, and have measures
// that limits may name.
TEST(Match, StandsInForElementByElement) {
  ListSource samples;
  samples.add(floats({1}, {1}));
  const auto giving = [](std::vector<float> v) {
    return FakeRunner({port("x")}, {port("boxes")}, [v](const Feed&) {
      return std::vector<Value>{
          floats({static_cast<int64_t>(v.size()) / 4, 4}, v)};
    });
  };
  auto a = giving({0, 0, 1, 1, 2, 2, 3, 3}), b = giving({2, 2, 3, 3});
  EXPECT_FALSE(compare(a, b, samples).comparable());
  CompareOptions options;
  options.matches = {{"boxes", MatchKind::iou, 0.5}};
  const CompareResult r = compare(a, b, samples, options);
  EXPECT_TRUE(r.comparable());
  ASSERT_EQ(r.matches.size(), 1);
  EXPECT_EQ(*r.matches[0].recall, 0.5);
  EXPECT_TRUE(r.outputs.empty());
}

}  // namespace
}  // namespace octavo
