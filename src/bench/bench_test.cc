#include "octavo/bench.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/random.h"
#include "octavo/error.h"
#include "testing/fake_runner.h"

namespace octavo {
namespace {

using testing::FakeRunner;
using testing::ListSource;
using testing::port;

// A machine whose time passes only while a model runs, at a pace of its own.
struct Simulation : BenchClock {
  double time = 0;    // ns
  std::string order;  // who ran, one letter a run
  std::function<double()> pace = [] { return 1.0; };

  int64_t now() override { return std::llround(time); }
  // `cold`: what the first run after the other model costs in addition.
  FakeRunner runner(char name, double ns, double cold = 0) {
    return FakeRunner(
        {port("x")}, {port("y")}, [this, name, ns, cold](const Feed&) {
          const bool first = order.empty() || order.back() != name;
          time += ns * pace() + (first ? cold : 0);
          order += name;
          return std::vector<Value>();
        });
  }
};

ListSource samples() {
  ListSource out;
  for (int i = 0; i < 3; ++i)
    out.add(make_tensor<float>(DType::float32, {2}, {1, 2}), 2);
  return out;
}

BenchResult run_two(Simulation& s, FakeRunner a, FakeRunner b,
                    const BenchOptions& options = {}) {
  Contender both[] = {{"a", &a}, {"b", &b}};
  return bench(both, samples(), options, s);
}

TEST(Bench, MeasuresAllAndDropsTheColdRun) {
  // Each first run after another model costs a second more: were it counted,
  // the medians of one-run blocks would show it.
  Simulation s;
  FakeRunner a = s.runner('a', 250e6, 1e9), b = s.runner('b', 125e6, 1e9);
  FakeRunner c = s.runner('c', 500e6, 1e9);
  Contender three[] = {{"a", &a}, {"b", &b}, {"c", &c}};
  const BenchResult r =
      bench(three, samples(), {.budget_seconds = 60, .block_runs = 1}, s);
  EXPECT_EQ(r.contenders[0].summary.median, 250e6);
  EXPECT_EQ(r.contenders[1].summary.median, 125e6);
  EXPECT_EQ(r.contenders[1].summary.mad, 0);
  EXPECT_EQ(r.contenders[2].first_run, 1500000000);
  ASSERT_EQ(r.pairs.size(), 3u);
  EXPECT_EQ(r.pairs[0].ratio, 2);
  EXPECT_EQ(r.pairs[0].outcome, Outcome::faster);
  EXPECT_EQ(r.pairs[1].ratio, 0.5);
  EXPECT_EQ(r.pairs[1].outcome, Outcome::slower);
  EXPECT_EQ(r.samples_per_call, 2);
  EXPECT_EQ(r.samples, 6);
}

TEST(Bench, InterleavesInARandomOrderFromTheSeed) {
  const auto order = [](uint64_t seed) {
    Simulation s;
    run_two(s, s.runner('a', 1e7), s.runner('b', 1e7),
            {.budget_seconds = 1, .block_runs = 2, .seed = seed});
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

TEST(Bench, CancelsDrift) {
  // The machine takes 1 ppm longer with every run and ends at twice its time.
  // One model after the other would say 1.5; the truth is 1.
  Simulation s;
  s.pace = [&] { return 1 + s.time / 20e9; };
  const BenchResult r = run_two(s, s.runner('a', 5e6), s.runner('b', 5e6),
                                {.budget_seconds = 20});
  EXPECT_GT(r.contenders[0].summary.most / r.contenders[0].summary.least, 1.8);
  EXPECT_NEAR(r.pairs[0].ratio, 1, 0.02);
  EXPECT_EQ(r.pairs[0].outcome, Outcome::no_difference);
}

TEST(Bench, EndsWhenItIsPreciseEnough) {
  Random random(1);
  Simulation s;
  s.pace = [&] { return 1 + 0.05 * random.normal(); };
  const BenchResult r = run_two(s, s.runner('a', 1e6), s.runner('b', 2e6),
                                {.budget_seconds = 60, .until = 0.02});
  EXPECT_EQ(r.ended_by, "precision");
  EXPECT_LT(r.seconds, 30);
  const PairRatio& p = r.pairs[0];
  EXPECT_LE(p.interval_95.high - p.interval_95.low, 0.04 * p.ratio);
  EXPECT_LE(p.interval_95.low, 0.5);
  EXPECT_GE(p.interval_95.high, 0.5);
  EXPECT_EQ(p.outcome, Outcome::slower);
}

TEST(Bench, KeepsToItsBudgetAndMakesNoStatementFromTooFewRounds) {
  Simulation s;
  const BenchResult r = run_two(s, s.runner('a', 10e9), s.runner('b', 1e9),
                                {.budget_seconds = 2});
  EXPECT_EQ(r.rounds, 1u);
  EXPECT_EQ(r.ended_by, "budget");
  EXPECT_EQ(r.pairs[0].ratio, 10);
  EXPECT_EQ(r.pairs[0].outcome, Outcome::too_few);
  Simulation t;
  run_two(t, t.runner('a', 1e6), t.runner('b', 1e6), {.budget_seconds = 2});
  EXPECT_GT(t.time, 1.9e9);
  EXPECT_LT(t.time, 2.4e9);  // at most one round of 100 + 1 runs each above
}

// How often of 100 two equal models are told apart. A machine's pace has noise
// of its own at every run, and a mood that lasts: first-order autoregression
// with the given correlation from run to run.
int told_apart(double correlation, double mood, double budget_seconds) {
  int count = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed, 7);
    double state = 0;
    Simulation s;
    s.pace = [&] {
      state = correlation * state +
              std::sqrt(1 - correlation * correlation) * random.normal();
      return std::exp(0.03 * random.normal() + mood * state);
    };
    const BenchResult r =
        run_two(s, s.runner('a', 5e6, 1e6), s.runner('b', 5e6, 1e6),
                {.budget_seconds = budget_seconds, .seed = seed});
    count += r.pairs[0].outcome == Outcome::faster ||
             r.pairs[0].outcome == Outcome::slower;
  }
  return count;
}

TEST(Bench, ToldEqualModelsApartAtMostFiveTimesOfAHundred) {
  EXPECT_LE(told_apart(0, 0, 5), 5);
  EXPECT_LE(told_apart(0.9, 0.05, 5), 5);
  EXPECT_LE(told_apart(0.99, 0.05, 5), 5);
  EXPECT_LE(told_apart(0.999, 0.1, 5), 5);
  EXPECT_LE(told_apart(0.99, 0.05, 0.7), 5);  // few rounds
}

TEST(Bench, CallsNothingADifferenceThatTwoSessionsOfOneModelHave) {
  // Without noise every interval is a point; 0.5 % and 2 % are as sure.
  Simulation s, t;
  EXPECT_EQ(
      run_two(s, s.runner('a', 1005e3), s.runner('b', 1000e3)).pairs[0].outcome,
      Outcome::no_difference);
  EXPECT_EQ(
      run_two(t, t.runner('a', 1000e3), t.runner('b', 1020e3)).pairs[0].outcome,
      Outcome::slower);
}

TEST(Bench, TellsWhatIsWrong) {
  EXPECT_THROW(bench({}, samples()), Error);
  FakeRunner a({}, {}, [](const Feed&) { return std::vector<Value>(); });
  Contender one[] = {{"a", &a}};
  EXPECT_THROW(bench(one, ListSource()), Error);
  EXPECT_THROW(bench_load(one, samples(), {.clients = 0}), Error);
}

TEST(BenchLoad, CountsEveryCallAndPassesErrorsOn) {
  std::atomic<int64_t> calls = 0;
  struct Counting : FakeRunner {
    using FakeRunner::FakeRunner;
    std::vector<Value> run(const Feed& feed) override { return count(feed); }
    std::function<std::vector<Value>(const Feed&)> count;
  };
  Counting a({}, {}, nullptr);
  a.count = [&](const Feed&) {
    ++calls;
    return std::vector<Value>();
  };
  Contender one[] = {{"a", &a}};
  const auto r =
      bench_load(one, samples(), {.clients = 3, .budget_seconds = 0.05});
  // Ten slices, in each of which three first calls are not counted.
  EXPECT_EQ(r[0].rates.size(), 10u);
  EXPECT_EQ(r[0].latency.runs, calls - 30);
  a.count = [](const Feed&) -> std::vector<Value> {
    throw Error(ErrorKind::runtime, "no");
  };
  EXPECT_THROW(bench_load(one, samples(), {.clients = 2}), Error);
}

}  // namespace
}  // namespace octavo
