#include "bench/latency.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "testing/fake_runner.h"

namespace octavo {
namespace {

using testing::FakeRunner;
using testing::port;

// A machine whose time passes only while a model runs.
struct Simulation {
  double now = 0;
  std::string order;  // who ran, one letter a run
  std::mt19937 random{1};

  FakeRunner runner(char name, double seconds, double cold = 0,
                    double noise = 0) {
    return FakeRunner(
        {port("x")}, {port("y")},
        [this, name, seconds, cold, noise](const Feed&) {
          const bool first = order.empty() || order.back() != name;
          const double share = static_cast<double>(random()) / 4294967296.0;
          now += seconds * (1 + noise * (share - 0.5)) + (first ? cold : 0);
          order += name;
          return std::vector<Value>();
        });
  }
  Clock clock() {
    return [this] { return now; };
  }
};

const std::vector<Feed> kFeeds(3);

TEST(MeasureLatency, MeasuresBothAndDropsTheColdRun) {
  // Each first run after the other model costs a second more: were it timed,
  // both medians of one-run blocks would show it.
  Simulation s;
  FakeRunner a = s.runner('a', 0.25, 1), b = s.runner('b', 0.125, 1);
  const LatencyResult r = measure_latency(
      a, b, kFeeds, {.budget_seconds = 60, .block_runs = 1}, s.clock());
  EXPECT_EQ(r.reference_median, 0.25);
  EXPECT_EQ(r.candidate_median, 0.125);
  EXPECT_EQ(r.reference_mad, 0);
  EXPECT_EQ(r.ratio, 2);
  EXPECT_EQ(r.outcome, LatencyOutcome::faster);
}

TEST(MeasureLatency, SaysSlowerAndNoDifference) {
  Simulation s;
  FakeRunner a = s.runner('a', 0.01), b = s.runner('b', 0.02);
  EXPECT_EQ(measure_latency(a, b, kFeeds, {}, s.clock()).outcome,
            LatencyOutcome::slower);
  Simulation t;
  FakeRunner c = t.runner('a', 0.01, 0, 0.2), d = t.runner('b', 0.01, 0, 0.2);
  const LatencyResult same = measure_latency(c, d, kFeeds, {}, t.clock());
  EXPECT_EQ(same.outcome, LatencyOutcome::no_difference);
  EXPECT_LT(same.interval.low, 1);
  EXPECT_GT(same.interval.high, 1);
}

TEST(MeasureLatency, AlternatesInARandomOrderFromTheSeed) {
  const auto order = [](uint64_t seed) {
    Simulation s;
    FakeRunner a = s.runner('a', 0.01), b = s.runner('b', 0.01);
    measure_latency(a, b, kFeeds,
                    {.budget_seconds = 1, .block_runs = 2, .seed = seed},
                    s.clock());
    return s.order.substr(4);  // without the warm-up
  };
  const std::string first = order(1);
  EXPECT_EQ(first, order(1));
  EXPECT_NE(first, order(2));
  // Every round holds a block of three runs (one dropped) of each.
  for (size_t i = 0; i + 6 <= first.size(); i += 6) {
    const std::string round = first.substr(i, 6);
    EXPECT_TRUE(round == "aaabbb" || round == "bbbaaa") << round;
  }
}

TEST(MeasureLatency, KeepsToItsBudget) {
  Simulation s;
  FakeRunner a = s.runner('a', 0.001), b = s.runner('b', 0.001);
  measure_latency(a, b, kFeeds, {.budget_seconds = 2}, s.clock());
  EXPECT_LT(s.now, 2.2);  // at most one round of 50 + 1 runs each above
  EXPECT_GT(s.now, 1.9);
}

TEST(MeasureLatency, MakesNoStatementFromTooFewRounds) {
  Simulation s;
  FakeRunner a = s.runner('a', 10), b = s.runner('b', 1);
  const LatencyResult r = measure_latency(a, b, kFeeds, {}, s.clock());
  EXPECT_EQ(r.rounds.size(), 1u);
  EXPECT_EQ(r.ratio, 10);
  EXPECT_EQ(r.outcome, LatencyOutcome::too_few);
}

}  // namespace
}  // namespace octavo
