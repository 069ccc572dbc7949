#include "compare/views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compare/output_stats.h"

namespace octavo {
namespace {

using ::testing::DoubleNear;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

struct Pair {
  Shape shape;
  std::vector<float> r, c;
};

OutputStats stats_of(const std::string& name, const OutputViews& views,
                     const std::vector<Pair>& pairs, int64_t first = 0) {
  OutputStats s;
  s.name = name;
  s.views.views = views;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto& [shape, r, c] = pairs[i];
    update(s, make_tensor<float>(DType::float32, shape, r),
           make_tensor<float>(DType::float32, shape, c),
           {first + static_cast<int64_t>(i), first, shape[0], name});
  }
  return s;
}

OutputSummary summary_of(const std::string& name, const OutputViews& views,
                         const std::vector<Pair>& pairs) {
  return finish(stats_of(name, views, pairs));
}

TEST(Views, CountWhatIsOutsideAtolAndRtol) {
  OutputViews views;
  views.atol = 0.5;
  views.rtol = 0.1;
  // |r - c| is 1, 1.6, 0.5, 0.6 and allowed are 1.5, 1.5, 0.5, 0.5.
  const auto o = summary_of(
      "y", views, {{{1, 4}, {10, 10, 0, 0}, {11, 11.6F, 0.5F, 0.6F}}});
  EXPECT_EQ(o.outside, 0.5);
  EXPECT_FALSE(summary_of("y", {}, {{{1, 1}, {1}, {2}}}).outside);
}

TEST(Views, TakeMatchingNaNForInsideAndAllOtherForOutside) {
  OutputViews views;
  views.rtol = 1e9;
  const auto o = summary_of("y", views,
                            {{{1, 6},
                              {kNaN, kNaN, 1, kInf, kInf, -kInf},
                              {kNaN, 1, kNaN, kInf, -kInf, 0}}});
  EXPECT_THAT(*o.outside, DoubleNear(4.0 / 6, 1e-12));
}

TEST(Views, SumChannelsAlongAnyAxis) {
  OutputViews views;
  const Pair pair = {{2, 2}, {3, 4, 0, 0}, {3, 6, 1, 0}};
  for (const int64_t axis : {1, -1}) {
    views.axis = axis;
    const auto o = summary_of("y", views, {pair});
    EXPECT_EQ(o.channel_count, 2);
    ASSERT_EQ(o.channels.size(), 2);
    EXPECT_EQ(o.channels[0].channel, 1);
    EXPECT_EQ(o.channels[0].max_abs, 2);
    EXPECT_THAT(o.channels[0].rmse, DoubleNear(std::sqrt(2.0), 1e-12));
    EXPECT_THAT(*o.channels[0].relative_l2, DoubleNear(0.5, 1e-12));
    EXPECT_EQ(o.channels[1].channel, 0);
  }
  views.axis = 0;
  const auto o = summary_of("y", views, {pair});
  EXPECT_EQ(o.channels[0].channel, 0);
  EXPECT_EQ(o.channels[1].channel, 1);
  EXPECT_FALSE(o.channels[1].relative_l2);  // the original is all zeros
  views.axis = 2;                           // there is none
  EXPECT_EQ(summary_of("y", views, {pair}).channel_count, 0);
}

TEST(Views, KnowProbabilitiesWhenTheySeeThem) {
  // 0.5 ln 2 + 0.5 ln (2/3), and 0.
  const Pair pair = {{2, 2}, {0.5F, 0.5F, 1, 0}, {0.25F, 0.75F, 1, 0}};
  const auto o = summary_of("y", {}, {pair});
  ASSERT_TRUE(o.scores);
  EXPECT_FALSE(o.scores->logits);
  EXPECT_EQ(o.scores->rows, 2);
  EXPECT_THAT(o.scores->kl,
              DoubleNear((std::log(2) + std::log(2.0 / 3)) / 4, 1e-7));
  EXPECT_EQ(o.scores->top1, 0.5);  // the first row's best moved
  EXPECT_FALSE(o.scores->top5);
  // One row that is no distribution, and all of them are none.
  EXPECT_FALSE(summary_of("y", {}, {pair, {{1, 2}, {3, 4}, {3, 4}}}).scores);
  OutputViews none;
  none.scores = Scores::none;
  EXPECT_FALSE(summary_of("y", none, {pair}).scores);
}

TEST(Views, AreInfinitelyFarWhereTheCopyGivesNothing) {
  const auto o = summary_of("y", {}, {{{1, 2}, {0.5F, 0.5F}, {1, 0}}});
  EXPECT_EQ(o.scores->kl, std::numeric_limits<double>::infinity());
}

TEST(Views, KnowLogitsByName) {
  // Softmax of [0, ln 3] is [1/4, 3/4], of [0, 0] [1/2, 1/2].
  const float ln3 = std::log(3.0F);
  const auto o =
      summary_of("out_Logits", {}, {{{1, 2}, {1000, 1000 + ln3}, {5, 5}}});
  ASSERT_TRUE(o.scores);
  EXPECT_TRUE(o.scores->logits);
  EXPECT_THAT(o.scores->kl,
              DoubleNear(0.25 * std::log(0.5) + 0.75 * std::log(1.5), 1e-4));
  EXPECT_EQ(o.scores->top1, 0);  // a tie goes to the lower index
}

TEST(Views, CountTheBestAmongFive) {
  OutputViews views;
  views.scores = Scores::logits;
  const auto o = summary_of("y", views,
                            {{{2, 6},
                              {9, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0},
                              {1, 2, 3, 4, 5, 0, 0, 2, 3, 4, 5, 6}}});
  EXPECT_EQ(o.scores->top1, 0);
  EXPECT_EQ(*o.scores->top5, 0.5);
}

TEST(Views, AddUpOverShards) {
  OutputViews views;
  views.atol = 0.1;
  views.axis = 1;
  const Pair a = {{2, 2}, {0.5F, 0.5F, 1, 0}, {0.25F, 0.75F, 1, 0}};
  const Pair b = {{1, 2}, {0.1F, 0.9F}, {0.2F, 0.8F}};
  const auto whole = summary_of("y", views, {a, b});
  OutputStats first =
      output_stats_from_bytes(to_bytes(stats_of("y", views, {a})));
  merge(first, output_stats_from_bytes(to_bytes(stats_of("y", views, {b}, 1))));
  const auto merged = finish(first);
  EXPECT_EQ(merged.outside, whole.outside);
  EXPECT_EQ(merged.scores->rows, whole.scores->rows);
  EXPECT_THAT(merged.scores->kl, DoubleNear(whole.scores->kl, 1e-12));
  ASSERT_EQ(merged.channels.size(), whole.channels.size());
  for (size_t i = 0; i < whole.channels.size(); ++i)
    EXPECT_THAT(merged.channels[i].rmse,
                DoubleNear(whole.channels[i].rmse, 1e-12));
}

}  // namespace
}  // namespace octavo
