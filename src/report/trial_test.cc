#include "report/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace octavo {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TrialReport report() {
  TrialReport r;
  Plan& plan = r.quantized.result.plan;
  plan.candidates = 2;
  plan.quantized = 1;
  plan.decisions.resize(2);
  plan.decisions[0].op = "MatMul";
  plan.decisions[0].action = Action::integer;
  plan.decisions[1].op = "Gemm";
  plan.decisions[1].reason = "its weight is small";
  r.quantized.result.bytes_before = 4096;
  r.quantized.result.bytes_after = 1024;
  r.comparison.samples = r.comparison.batches = 4;
  r.comparison.samples_description = "4 samples of digits.npz";
  r.context.original = "net.onnx";
  r.context.copy = "my net.int8.onnx";
  r.files = {"my net.int8.onnx", "report.json"};
  r.sample_flags = "--samples digits.npz";
  BenchResult l;
  l.contenders.resize(2);
  l.contenders[0].name = "original";
  l.contenders[0].summary.median = 2e6;
  l.contenders[1].name = "copy";
  l.contenders[1].summary.median = 1e6;
  l.pairs = {{0, 1, 2, {1.9, 2.1}, {1.8, 2.2}, Outcome::faster}};
  r.latency = l;
  return r;
}

TEST(ShellQuoted, QuotesOnlyWhatAShellWouldRead) {
  EXPECT_EQ(shell_quoted("a/b-c.npz:y"), "a/b-c.npz:y");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(shell_quoted(""), "''");
}

TEST(TrialText, TellsSizeSpeedFatesAndFiles) {
  const std::string text = trial_text(report());
  EXPECT_THAT(text, StartsWith("No verdict"));
  EXPECT_THAT(text, HasSubstr("Size     4.0 KiB -> 1.0 KiB, 25.00 % of the"));
  EXPECT_THAT(text, HasSubstr("Speed    faster, 2.00 x the original's speed "
                              "(95 %: 1.90 to 2.10)"));
  EXPECT_THAT(text, HasSubstr("2.00 ms -> 1.00 ms"));
  EXPECT_THAT(text, HasSubstr("1 of 2 candidate nodes quantized"));
  EXPECT_THAT(text, HasSubstr("its weight is small"));
  EXPECT_THAT(text, HasSubstr("Files    my net.int8.onnx\n"
                              "         report.json\n"));
}

TEST(TrialText, EndsWithACommandThatFitsTheOutcome) {
  TrialReport r = report();
  EXPECT_THAT(trial_text(r),
              HasSubstr("  octavo compare net.onnx 'my net.int8.onnx' "
                        "--samples digits.npz --labels FILE.npz:KEY\n"));
  r.comparison.synthetic = true;
  EXPECT_THAT(trial_text(r), HasSubstr("  octavo trial net.onnx --samples "));
  r.comparison.checks = {{"max abs difference of y", 0.1, 0.5, false, ""}};
  EXPECT_THAT(trial_text(r), HasSubstr("Keep the original"));
}

TEST(TrialText, SaysWhereNothingWasShownOrMeasured) {
  TrialReport r = report();
  r.latency->pairs[0].outcome = Outcome::no_difference;
  EXPECT_THAT(trial_text(r), HasSubstr("no difference shown, 2.00 x"));
  r.latency->pairs[0].outcome = Outcome::too_few;
  EXPECT_THAT(trial_text(r), HasSubstr("too few runs for a statement"));
  r.latency.reset();
  EXPECT_THAT(trial_text(r), HasSubstr("not measured"));
}

TEST(TrialJson, HoldsTheComparisonAndTheRawTimes) {
  TrialReport r = report();
  r.latency->rounds = 1;
  r.latency->contenders[0].blocks = {{2000000, 3000000}};
  r.latency->contenders[1].blocks = {{1000000}};
  const Json j = Json::parse(json_text(trial_json(r)));
  EXPECT_EQ(j["schema"], "octavo.trial/1");
  EXPECT_EQ(j["size"]["ratio"], 0.25);
  EXPECT_EQ(j["comparison"]["schema"], "octavo.compare/1");
  EXPECT_EQ(j["latency"]["rounds"][0]["original"], Json({0.002, 0.003}));
  EXPECT_EQ(j["plan"]["quantized"], 1);
}

}  // namespace
}  // namespace octavo
