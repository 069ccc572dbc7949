#include "octavo/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "octavo/error.h"
#include "testing/fake_runner.h"
#include "testing/temp_folder.h"

namespace octavo {
namespace {

using ::testing::HasSubstr;
using testing::port;

template <typename F>
std::string error_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

OutputSummary logits() {
  OutputSummary o;
  o.name = "logits";
  o.type = DType::float32;
  o.measure = Measure::numeric;
  o.elements = 40;
  o.equal = 10;
  o.max_abs = 0.125;
  o.mean_abs = 0.03125;
  o.rmse = 0.0441942;
  o.cosine = 0.9975;
  o.relative_l2 = 0.0005;
  o.sqnr_db = 40;
  o.spread.p99 = 0.0625;
  return o;
}

CompareResult result() {
  CompareResult r;
  r.outputs = {logits()};
  r.samples = 1000;
  MetricSummary m;
  m.name = "accuracy";
  m.share = true;
  m.samples = 1000;
  m.reference = 0.9;
  m.candidate = 0.893;
  m.difference = -7.0 / 1000;
  m.interval = ConfidenceInterval{-0.02, 0.001};
  m.p = 0.5;
  r.metrics = {m};
  AnswerSummary a;
  a.samples = 1000;
  a.flipped = 12;
  a.flipped_to_wrong = 9;
  r.answers = a;
  return r;
}

// Whether `text` holds for `r`; false also where it names nothing.
bool holds(const std::string& text, const CompareResult& r = result()) {
  bool ok = true;
  for (const Check& c : judge({parse_limit(text)}, measurements(r)))
    ok = ok && c.ok;
  return ok;
}

TEST(Limits, AreNameRelationAndNumber) {
  const Limit l = parse_limit("  logits.cosine>=0.999 ");
  EXPECT_EQ(l.name, "logits.cosine");
  EXPECT_EQ(l.relation, Relation::at_least);
  EXPECT_EQ(l.bound, 0.999);
  EXPECT_EQ(l.text, "logits.cosine>=0.999");
  EXPECT_EQ(parse_limit("x < -1e-3").relation, Relation::less);
  EXPECT_EQ(parse_limit("x > 1").relation, Relation::greater);
  EXPECT_EQ(parse_limit("x == +1").bound, 1);
  // A name may hold what looks like a relation.
  EXPECT_EQ(parse_limit("a<b>.rmse <= 1").name, "a<b>.rmse");
}

TEST(Limits, PercentIsExactInDecimal) {
  // 0.7 / 100 is 0.006999999999999999; 7 of 1000 must be within 0.7 %.
  EXPECT_EQ(parse_limit("x <= 0.7%").bound, 0.007);
  EXPECT_EQ(parse_limit("x <= 1 %").bound, 0.01);
  EXPECT_EQ(parse_limit("x <= 2e0%").bound, 0.02);
  EXPECT_TRUE(holds("accuracy.drop <= 0.7%"));
  EXPECT_FALSE(holds("accuracy.drop < 0.7%"));
  EXPECT_FALSE(holds("accuracy.drop <= 0.69%"));
}

TEST(Limits, RefuseWhatIsNone) {
  for (const char* text : {"", "x", "<= 1", "x <=", "x <= y", "x <= nan",
                           "x <= inf", "x <= 1%%", "x <= 1 2", "x = 1"})
    EXPECT_THAT(error_of([&] { parse_limit(text); }), HasSubstr("NAME <="))
        << text;
  EXPECT_THAT(error_of([&] { parse_limit("/(/ <= 1"); }),
              HasSubstr("no regular expression"));
}

TEST(Limits, ReachEverythingThatWasMeasured) {
  EXPECT_TRUE(holds("logits.max_abs <= 0.125"));
  EXPECT_FALSE(holds("logits.max_abs < 0.125"));
  EXPECT_TRUE(holds("logits.cosine >= 0.9975"));
  EXPECT_TRUE(holds("logits.sqnr_db == 40"));
  EXPECT_TRUE(holds("logits.equal >= 25%"));
  EXPECT_TRUE(holds("logits.p99 <= 0.0625"));
  EXPECT_FALSE(holds("logits.p50 <= 1"));  // undefined
  EXPECT_TRUE(holds("*.rmse <= 0.05"));
  EXPECT_TRUE(holds("/^logits.(rmse|mean_abs)$/ <= 0.05"));
  EXPECT_TRUE(holds("accuracy.copy >= 0.893"));
  EXPECT_TRUE(holds("accuracy.drop.high <= 2%"));
  EXPECT_FALSE(holds("accuracy.drop.high <= 1.9%"));
  EXPECT_TRUE(holds("flips <= 1.2%"));
  EXPECT_TRUE(holds("flips.to_wrong <= 0.9%"));
  EXPECT_FALSE(holds("mae.rise <= 1"));  // nothing of this name
}

TEST(Limits, LossOfAMetricWhereLessIsBetterIsItsRise) {
  CompareResult r = result();
  MetricSummary& m = r.metrics[0];
  m.name = "mae";
  m.higher_is_better = false;
  m.difference = 0.25;
  m.interval = ConfidenceInterval{0.125, 0.5};
  EXPECT_TRUE(holds("mae.rise <= 0.25", r));
  EXPECT_FALSE(holds("mae.rise < 0.25", r));
  EXPECT_TRUE(holds("mae.rise.high == 0.5", r));
}

TEST(Limits, NaNThatDoesNotMatchIsOutsideAll) {
  CompareResult r = result();
  r.outputs[0].non_finite.mismatching = 1;
  EXPECT_FALSE(holds("logits.cosine >= 0", r));
  EXPECT_FALSE(holds("logits.max_abs <= 1e9", r));
  r = result();
  r.metrics[0].uncounted = 1;
  EXPECT_FALSE(holds("accuracy.drop <= 1", r));
}

TEST(Limits, UndefinedIsWithinOnlyWhereNothingDiffers) {
  CompareResult r = result();
  r.outputs[0].cosine.reset();
  EXPECT_FALSE(holds("logits.cosine >= 0", r));
  r.outputs[0].equal = r.outputs[0].elements;
  EXPECT_TRUE(holds("logits.cosine >= 0", r));
  r.outputs[0].measure = Measure::exact;
  EXPECT_TRUE(holds("logits.max_abs <= 0", r));
  r.outputs[0].equal = 0;
  EXPECT_FALSE(holds("logits.max_abs <= 1e9", r));
}

TEST(Limits, AreCheckedBeforeAnythingRuns) {
  const auto check = [](const std::string& text, bool labels,
                        std::vector<MetricSpec> metrics = {},
                        Port output = port("logits")) {
    return error_of([&] {
      check_limits({parse_limit(text)}, {output}, labels, metrics,
                   {"size.ratio"});
    });
  };
  EXPECT_EQ(check("logits.cosine >= 1", false), "no error");
  EXPECT_EQ(check("*.cosine >= 1", false), "no error");
  EXPECT_EQ(check("size.ratio <= 1", false), "no error");
  EXPECT_EQ(check("flips <= 1", true), "no error");
  EXPECT_EQ(check("top-5.drop <= 1", true, {{Metric::top_k, 5}}), "no error");
  EXPECT_THAT(check("flips <= 1", false), HasSubstr("--labels FILE"));
  EXPECT_THAT(check("logit.cosine >= 1", false),
              HasSubstr("did you mean 'logits.cosine'?"));
  EXPECT_THAT(check("auc.drop <= 1", true, {{Metric::accuracy}}),
              HasSubstr("names nothing"));
  Port sequence = port("probs");
  sequence.kind = ValueKind::sequence;
  EXPECT_EQ(check("probs[0].values.cosine >= 1", false, {}, sequence),
            "no error");
  EXPECT_THAT(check("probs[0].values.cosin >= 1", false, {}, sequence),
              HasSubstr("names nothing"));
}

TEST(Limits, ComeFromTomlToo) {
  testing::TempFolder folder;
  const auto load = [&](const std::string& text) {
    std::ofstream(folder / "t.toml") << text;
    return load_limits(folder / "t.toml");
  };
  const auto limits = load(
      "# ours\nrequire = [\n  \"flips <= 1%\",\n  'x.rmse <= 2', # c\n]\n");
  ASSERT_EQ(limits.size(), 2u);
  EXPECT_EQ(limits[0].bound, 0.01);
  EXPECT_EQ(limits[1].name, "x.rmse");
  EXPECT_THAT(error_of([&] { load("require = [\n \"x <= 1\"\nb"); }),
              HasSubstr("is no TOML, in line 3"));
  for (const char* text :
       {"", "require = []", "require = 'x <= 1'", "require = [1]", "other = 1"})
    EXPECT_THAT(error_of([&] { load(text); }), HasSubstr("holds one list"))
        << text;
  EXPECT_THAT(error_of([&] { load("require = ['x']"); }), HasSubstr("NAME <="));
  EXPECT_THROW(load_limits(folder / "none.toml"), Error);
  // Deep nesting is refused, not followed.
  EXPECT_THROW(load("require = " + std::string(100000, '[')), Error);
}

class Baselines : public ::testing::Test {
 protected:
  Baseline saved(const CompareResult& r) {
    std::ofstream(folder_ / "b.json")
        << baseline_text(measurements(r), r.samples);
    return load_baseline(folder_ / "b.json");
  }
  // The failed ones.
  std::vector<std::string> worse(const CompareResult& now, double share) {
    std::vector<std::string> names;
    for (const Check& c : judge(saved(result()), share, measurements(now), now))
      if (!c.ok) names.push_back(c.what);
    return names;
  }
  testing::TempFolder folder_;
};

TEST_F(Baselines, ARunIsNoWorseThanItself) {
  EXPECT_EQ(worse(result(), 0), std::vector<std::string>{});
  CompareResult equal = result();
  equal.outputs[0].sqnr_db = INFINITY;
  EXPECT_EQ(saved(equal).values.size(), saved(result()).values.size());
  EXPECT_EQ(judge(saved(equal), 0, measurements(equal), equal).size(),
            saved(equal).values.size());
}

TEST_F(Baselines, ErrorsMayGrowByTheShare) {
  CompareResult now = result();
  now.outputs[0].max_abs = 0.125 * 1.05;
  EXPECT_TRUE(worse(now, 0.0501).empty());
  EXPECT_EQ(worse(now, 0.0499), std::vector<std::string>{"logits.max_abs"});
  now.outputs[0].max_abs = 0.0;  // better
  EXPECT_TRUE(worse(now, 0).empty());
}

TEST_F(Baselines, SharesMayMoveAwayFromOne) {
  CompareResult now = result();
  // 1 - 0.9975 is 0.0025; 0.0026 is 4 % more.
  now.outputs[0].cosine = 0.9974;
  EXPECT_TRUE(worse(now, 0.041).empty());
  EXPECT_EQ(worse(now, 0.039), std::vector<std::string>{"logits.cosine"});
  now = result();
  now.metrics[0].candidate = 0.5;
  EXPECT_EQ(worse(now, 0.05), std::vector<std::string>{"accuracy.copy"});
}

TEST_F(Baselines, DecibelsMeanTheNoise) {
  CompareResult now = result();
  now.outputs[0].sqnr_db = 39.8;  // 10^0.02 = 1.047 times the noise
  EXPECT_TRUE(worse(now, 0.048).empty());
  EXPECT_EQ(worse(now, 0.046), std::vector<std::string>{"logits.sqnr_db"});
}

TEST_F(Baselines, WantTheSameMeasurements) {
  CompareResult now = result();
  now.outputs.clear();
  EXPECT_EQ(worse(now, 1).size(), 8u);  // of logits
  now = result();
  now.samples = 999;
  EXPECT_THAT(error_of([&] { worse(now, 0); }),
              HasSubstr("measured on 1000 samples"));
  for (const char* text :
       {"", "{", "[]", "{\"schema\": 1}", "{\"schema\": \"octavo.baseline/1\"}",
        "{\"schema\": \"octavo.baseline/1\", \"samples\": 1, "
        "\"measurements\": {\"a\": \"b\"}}"}) {
    std::ofstream(folder_ / "bad.json") << text;
    EXPECT_THAT(error_of([&] { load_baseline(folder_ / "bad.json"); }),
                HasSubstr("no baseline"))
        << text;
  }
}

}  // namespace
}  // namespace octavo
