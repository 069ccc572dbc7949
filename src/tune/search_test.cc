#include "tune/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/random.h"

namespace octavo {
namespace {

using ::testing::ElementsAre;

// A demand on the sum of the costs of what is high.
Holds at_most(std::span<const SearchLayer> layers, double limit,
              int64_t budget = 1000000) {
  return
      [layers, limit, budget](const Choice& c) mutable -> std::optional<bool> {
        if (budget-- == 0) return std::nullopt;
        double sum = 0;
        for (size_t i = 0; i < layers.size(); ++i)
          if (c[i]) sum += layers[i].cost;
        return sum <= limit;
      };
}

TEST(Search, LeavesTheWorstBargainLow) {
  const std::vector<SearchLayer> layers = {{1, 10}, {8, 10}, {1, 1}, {2, 10}};
  const SearchResult r = search(layers, at_most(layers, 4));
  ASSERT_TRUE(r.best);
  EXPECT_THAT(*r.best, ElementsAre(true, false, true, true));
  EXPECT_TRUE(r.complete);
}

// Greed alone would leave the cheap one low, too: it comes first in the order,
// for it gains little; the repair takes it back.
TEST(Search, RepairsWhatTheOrderTookTooMuchOf) {
  const std::vector<SearchLayer> layers = {{1, 0.5}, {9, 10}, {1, 10}};
  const SearchResult r = search(layers, at_most(layers, 2));
  EXPECT_THAT(*r.best, ElementsAre(true, false, true));
}

TEST(Search, TakesNoLayerThatGainsNothing) {
  const std::vector<SearchLayer> layers = {{0, 0}, {3, 5}, {3, 4}};
  const SearchResult r = search(layers, at_most(layers, 3));
  EXPECT_THAT(*r.best, ElementsAre(false, true, false));
}

TEST(Search, FindsNothingWhereNothingHolds) {
  const std::vector<SearchLayer> layers = {{5, 1}, {5, 1}};
  const SearchResult r = search(layers, at_most(layers, 1));
  EXPECT_FALSE(r.best);
  EXPECT_TRUE(r.complete);
  EXPECT_LE(r.asked, 2);
}

TEST(Search, KeepsTheBestOfWhatItKnewWhenTimeIsUp) {
  std::vector<SearchLayer> layers(64, {1, 1});
  const SearchResult r = search(layers, at_most(layers, 40, 3));
  ASSERT_TRUE(r.best);  // 32, 16 and 24 low were asked
  EXPECT_EQ(gain_of(layers, *r.best), 40);
  EXPECT_FALSE(r.complete);
  EXPECT_EQ(r.asked, 3);
}

TEST(Search, CopesWithLayersThatBreakTheModel) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<SearchLayer> layers = {{1, 1}, {infinity, 9}, {1, 1}};
  const SearchResult r = search(layers, at_most(layers, 10));
  EXPECT_THAT(*r.best, ElementsAre(true, false, true));
}

// Against all subsets of random layers: never better than the best, always
// within the demand, on average not much worse; and it asks few times.
TEST(Search, ComesNearTheBestOfAllSubsets) {
  Random random(7);
  double share = 0;
  constexpr int kRuns = 200;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<SearchLayer> layers(10);
    for (SearchLayer& l : layers)
      l = {random.uniform(), 0.05 + random.uniform()};
    const Holds holds = at_most(layers, 2.5);
    double best = 0;
    Choice choice(10);
    for (uint32_t bits = 0; bits < 1024; ++bits) {
      for (size_t i = 0; i < 10; ++i) choice[i] = (bits >> i) & 1;
      if (*holds(choice)) best = std::max(best, gain_of(layers, choice));
    }
    if (*holds(Choice(10, true))) continue;
    const SearchResult r = search(layers, at_most(layers, 2.5));
    ASSERT_TRUE(r.best);
    ASSERT_TRUE(*holds(*r.best));
    const double found = gain_of(layers, *r.best);
    ASSERT_LE(found, best + 1e-12);
    ASSERT_GE(found, 0.7 * best);
    EXPECT_LE(r.asked, 4 + 10);
    share += found / best;
  }
  EXPECT_GE(share / kRuns, 0.97);
}

}  // namespace
}  // namespace octavo
