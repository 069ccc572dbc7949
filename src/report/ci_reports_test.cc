// JUnit's XML, Markdown and the words of a check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/check_text.h"
#include "report/compare_markdown.h"
#include "report/junit.h"

namespace octavo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

CompareResult result() {
  CompareResult r;
  r.outputs.resize(1);
  r.outputs[0].name = "a|b<c>";
  r.outputs[0].measure = Measure::numeric;
  r.outputs[0].max_abs = 0.5;
  r.samples_description = "4 samples of \"x\"";
  r.checks = {{"flips", 0.01, 0.0125, false, "", "<=", true},
              {"a|b<c>.cosine", 0.9, 0.95, true, "", ">=", false}};
  return r;
}

CompareContext context() {
  return {.original = "a&b.onnx", .copy = "bad\xff\x01.onnx"};
}

TEST(CheckText, SaysWhatWouldPass) {
  const CompareResult r = result();
  EXPECT_EQ(check_name(r.checks[0]), "flips <= 1 %");
  EXPECT_EQ(check_text(r.checks[0]),
            "flips: 1.25 %, limit <= 1 %; <= 1.25 % would pass");
  EXPECT_EQ(check_text(r.checks[1]), "a|b<c>.cosine: 0.95, limit >= 0.9");
  // Rounded to six digits on the side that passes.
  EXPECT_THAT(check_text({"x", 1, 1.23456789, false, "", "<=", false}),
              HasSubstr("; <= 1.23457 would pass"));
  EXPECT_THAT(check_text({"x", 1, 1.23456123, false, "", "<=", false}),
              HasSubstr("; <= 1.23457 would pass"));
  EXPECT_THAT(check_text({"x", 1, 0.99997975, false, "", ">=", false}),
              HasSubstr("; >= 0.999979 would pass"));
  EXPECT_THAT(check_text({"x", 1, 0.5, false, "", "<", false}),
              Not(HasSubstr("pass")));
  EXPECT_EQ(check_text({"x", 1, std::nullopt, false, "undefined", "<=", false}),
            "x: not measured, limit <= 1; undefined");
}

TEST(Junit, HasOneCaseALimitAndEscapesAll) {
  const std::string xml =
      junit_xml(result(), context(), "octavo compare", 0, 1.5);
  EXPECT_THAT(xml, StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                              "<testsuites>\n"));
  EXPECT_THAT(xml, HasSubstr("tests=\"3\" failures=\"1\" errors=\"0\""));
  EXPECT_THAT(xml, HasSubstr("timestamp=\"1970-01-01T00:00:00\""));
  EXPECT_THAT(xml, HasSubstr("time=\"1.500\""));
  EXPECT_THAT(xml, HasSubstr("name=\"flips &lt;= 1 %\""));
  EXPECT_THAT(xml, HasSubstr("name=\"a|b&lt;c&gt;.cosine &gt;= 0.9\""));
  EXPECT_THAT(xml, HasSubstr("value=\"a&amp;b.onnx\""));
  EXPECT_THAT(xml, HasSubstr("value=\"bad??.onnx\""));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"flips: 1.25 %, limit"));
}

TEST(Junit, FailsWhereOutputsCannotBeCompared) {
  CompareResult r;
  r.only_reference = {"boxes"};
  const std::string xml = junit_xml(r, context(), "octavo trial", 0, 0);
  EXPECT_THAT(xml, HasSubstr("tests=\"1\" failures=\"1\""));
  EXPECT_THAT(xml, HasSubstr("only the original has this output"));
}

TEST(Markdown, IsTablesThatNoNameCanBreak) {
  const std::string text = compare_markdown(result(), context());
  EXPECT_THAT(text, StartsWith("### bad"));
  EXPECT_THAT(text, HasSubstr(": outside the limits\n"));
  EXPECT_THAT(text, HasSubstr("| flips \\<= 1 % | 1.25 % | FAILED |"));
  EXPECT_THAT(text, HasSubstr("| a\\|b\\<c\\>.cosine \\>= 0.9 | 0.95 | ok |"));
  EXPECT_THAT(text, HasSubstr("| --- | ---: |"));
  CompareResult none;
  EXPECT_THAT(compare_markdown(none, context()), HasSubstr("no verdict"));
}

}  // namespace
}  // namespace octavo
