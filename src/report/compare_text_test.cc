#include "report/compare_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "report/compare_json.h"
#include "report/text_width.h"
#include "report/wrap.h"

namespace octavo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

OutputSummary logits() {
  OutputSummary o;
  o.name = "logits";
  o.type = DType::float32;
  o.measure = Measure::numeric;
  o.last_shape = {1, 10};
  o.batches = 4;
  o.elements = 40;
  o.equal = 10;
  o.max_abs = 0.125;
  o.mean_abs = 0.03125;
  o.rmse = 0.0441942;
  o.cosine = 0.99999987;
  o.relative_l2 = 0.0005;
  o.sqnr_db = 65.52515;
  o.worst = WorstElement{"logits", 2, 2, {0, 3}, 1.25, 1.375};
  return o;
}

CompareResult result() {
  CompareResult r;
  r.outputs = {logits()};
  r.batches = r.samples = 4;
  r.samples_description = "4 samples of digits.npz";
  return r;
}

CompareContext context() {
  return {.original = "cnn.onnx",
          .copy = "cnn.int8.onnx",
          .original_bytes = 2048,
          .copy_bytes = 512,
          .runtime_version = "1.30.0",
          .providers = {"CPU"},
          .threads = 2};
}

TEST(WrapText, BreaksAtSpacesAndIndents) {
  EXPECT_EQ(wrap_text("one two three", 9, "- "), "- one two\n  three\n");
  EXPECT_EQ(wrap_text("extraordinary", 5), "extraordinary\n");
  EXPECT_EQ(wrap_text("a b", 0), "a b\n");
  EXPECT_EQ(wrap_text("", 10), "\n");
  EXPECT_EQ(wrap_text("a\x1b[2Jb", 80), "a?[2Jb\n");
}

TEST(CompareText, OpensWithNoVerdictWhereNoToleranceWasGiven) {
  const std::string text = compare_text(result(), context());
  EXPECT_THAT(text, StartsWith("No verdict: you gave no tolerance; there is no "
                               "universal threshold, your task\nsets it (see "
                               "--help).\n"));
  EXPECT_THAT(text, HasSubstr("0.125    0.0312  0.0442  0.99999987"));
  EXPECT_THAT(text, HasSubstr("25.00 %"));
  EXPECT_THAT(text, HasSubstr("Largest difference: logits, sample 2 [0,3]: "
                              "original 1.25, copy 1.375, apart\n0.125"));
  EXPECT_THAT(text, HasSubstr("cnn.int8.onnx (512 B)"));
  EXPECT_THAT(text, HasSubstr("ONNX Runtime 1.30.0, CPU, 2 threads"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(CompareText, NamesFailedChecksWithLimitAndMeasurement) {
  CompareResult r = result();
  r.checks = {{"cosine of logits", 0.5, 0.99, true, ""},
              {"max abs difference of logits", 0.1, 0.125, false, ""}};
  const std::string text = compare_text(r, context());
  EXPECT_THAT(text, StartsWith("OUTSIDE your tolerances: 1 of 2 checks "
                               "failed.\n  max abs difference of logits: "
                               "0.125, limit <= 0.1; <= 0.125 would pass\n"));
  r.checks.pop_back();
  EXPECT_THAT(compare_text(r, context()),
              StartsWith("WITHIN your tolerances: the one check passed."));
}

TEST(CompareText, SaysSyntheticOnEveryVerdictLine) {
  CompareResult r = result();
  r.synthetic = true;
  EXPECT_THAT(verdict_text(r, {}), HasSubstr("synthetic"));
  r.checks = {{"max abs difference of logits", 0.1, 0.125, false, ""}};
  const std::string text = verdict_text(r, {.width = 0});
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_THAT(line, HasSubstr("synthetic"));
}

TEST(CompareText, NamesWhatCouldNotBeCompared) {
  CompareResult r = result();
  r.only_reference = {"boxes"};
  r.outputs[0].failed_batches = 3;
  r.outputs[0].first_failed_batch = 1;
  r.outputs[0].failure = "logits is unequal";
  const std::string text = compare_text(r, context());
  EXPECT_THAT(text, StartsWith("NOT COMPARABLE"));
  EXPECT_THAT(text, HasSubstr("boxes: only the original has this output"));
  EXPECT_THAT(text, HasSubstr("logits in 3 of 4 batches, first in batch 1: "
                              "logits is unequal"));
}

TEST(CompareText, ShowsAccuracyAndFlips) {
  CompareResult r = result();
  AnswerSummary a;
  a.output = "logits";
  a.samples = 4;
  a.reference_correct = 3;
  a.candidate_correct = 2;
  a.flipped = a.flipped_to_wrong = 1;
  a.first_flips = {{2, 7, 7, 1, 0.0123, 0.5}};
  r.answers = a;
  MetricSummary m;
  m.name = "accuracy";
  m.share = true;
  m.samples = 4;
  m.reference = 0.75;
  m.candidate = 0.5;
  m.difference = -0.25;
  m.interval = ConfidenceInterval{-0.75, 0};
  m.p = 1;
  m.detectable = 0.99;
  r.metrics = {m};
  const std::string text = compare_text(r, context());
  EXPECT_THAT(text, HasSubstr("Accuracy: 75.00 % -> 50.00 % (-25.00 points; "
                              "95 %: -75.00 to 0), 3 and 2"));
  EXPECT_THAT(text, HasSubstr("McNemar's exact p 1.00."));
  EXPECT_THAT(text, HasSubstr("a loss of accuracy from 99.00 points on"));
  EXPECT_THAT(text, HasSubstr("Answers: 1 changed (25.00 %); 1 became wrong"));
  EXPECT_THAT(text, HasSubstr("became wrong           0.0123        0.500"));
}

TEST(CompareText, FitsTheTerminalWhateverTheNames) {
  CompareResult r = result();
  r.outputs[0].name = std::string(200, 'n');
  r.outputs[0].cosine = 0.999999999;
  r.outputs[0].non_finite.mismatching = 2;
  r.outputs[0].non_finite.nan_became_finite = 1;
  r.outputs[0].notes = {
      "a rather long note that goes on and on and on and on "
      "and on until it is too long for one line"};
  std::istringstream lines(outputs_text(r, {}));
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(display_width(line), 80) << line;
}

TEST(CompareText, ColoursOnlyWhenTold) {
  EXPECT_THAT(compare_text(result(), context(), {.colour = true}),
              HasSubstr("\x1b[1m"));
}

TEST(CompareJson, IsOneDocumentWithASchema) {
  CompareResult r = result();
  r.outputs[0].sqnr_db = std::numeric_limits<double>::infinity();
  r.outputs[0].cosine.reset();
  r.outputs[0].name = "bad\xff";
  const Json j = Json::parse(json_text(compare_json(r, context())));
  EXPECT_EQ(j.begin().key(), "schema");
  EXPECT_EQ(j["schema"], "octavo.compare/1");
  EXPECT_EQ(j["verdict"], "none");
  EXPECT_EQ(j["answers"], nullptr);
  const Json& o = j["outputs"][0];
  EXPECT_EQ(o["name"], "bad\xef\xbf\xbd");
  EXPECT_EQ(o["sqnr_db"], "Infinity");
  EXPECT_EQ(o["cosine"], nullptr);
  EXPECT_EQ(o["max_abs"], 0.125);
  EXPECT_EQ(o["equal_share"], 0.25);
  EXPECT_EQ(o["worst"]["index"], (Json::array({0, 3})));
  EXPECT_EQ(j["copy"]["bytes"], 512);
}

TEST(CompareJson, KeepsSixtyFourBitIntegersExactly) {
  CompareResult r = result();
  r.outputs[0].max_abs = std::numeric_limits<uint64_t>::max();
  r.outputs[0].worst->reference = std::numeric_limits<int64_t>::min();
  const std::string text = json_text(compare_json(r, context()));
  EXPECT_THAT(text, HasSubstr("\"max_abs\": 18446744073709551615"));
  EXPECT_THAT(text, HasSubstr("\"original\": -9223372036854775808"));
}

}  // namespace
}  // namespace octavo
