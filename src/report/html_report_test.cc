#include "report/html_report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/stats.h"

namespace octavo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

HtmlReport report() {
  HtmlReport r;
  r.context.original = "net.onnx";
  r.context.copy = "net.int8.onnx";
  r.context.original_bytes = 4000;
  r.context.copy_bytes = 1000;
  r.comparison.samples = r.comparison.batches = 4;
  r.comparison.samples_description = "4 samples of digits.npz";
  r.command = "octavo compare net.onnx net.int8.onnx --random 4";
  return r;
}

TEST(HtmlReport, OpensWithTheVerdictAndTheSizes) {
  HtmlReport r = report();
  EXPECT_THAT(html_report(r), HasSubstr("<h1>No verdict"));
  EXPECT_THAT(html_report(r), HasSubstr("<dd class=figure>25.0 %</dd>"));
  r.comparison.checks = {{"cosine of y", 0.9, 0.5, false, ""}};
  EXPECT_THAT(html_report(r), HasSubstr("<h1 class=outside>OUTSIDE"));
  r.comparison.checks[0].ok = true;
  EXPECT_THAT(html_report(r), HasSubstr("<h1 class=within>WITHIN"));
}

TEST(HtmlReport, HasNoSectionOrLinkForWhatIsNotKnown) {
  const std::string page = html_report(report());
  for (const char* id :
       {"checks", "size", "nodes", "outputs", "answers", "speed"}) {
    EXPECT_THAT(page, Not(HasSubstr(fmt::format("<section id={}>", id))));
    EXPECT_THAT(page, Not(HasSubstr(fmt::format("href=\"#{}\"", id))));
  }
  EXPECT_THAT(page, HasSubstr("<section id=repeat>"));
  EXPECT_THAT(page, HasSubstr("<pre>octavo compare net.onnx net.int8.onnx"));
}

TEST(HtmlReport, LetsNoNameBecomeMarkup) {
  const std::string evil = "</table><script>alert(1)</script>";
  HtmlReport r = report();
  r.context.original = r.context.copy = r.command = evil;
  r.files = {evil};
  r.comparison.samples_description = evil;
  r.comparison.checks = {{evil, 1, std::nullopt, false, evil}};
  r.fates = {{evil, evil, evil, evil, false, 1, 2, evil}};
  OutputSummary o;
  o.name = evil;
  o.measure = Measure::exact;
  o.elements = 2;
  o.worst = WorstElement{evil, 0, 0, {0}, evil, std::string("x")};
  o.notes = {evil};
  o.failed_batches = 1;
  o.failure = evil;
  r.comparison.outputs = {o};
  r.comparison.only_candidate = r.comparison.only_reference = {evil};
  r.before.emplace();
  r.before->by_type[evil] = {1, 2};
  r.after = r.before;
  const std::string page = html_report(r);
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)"));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("</table><script")));
}

TEST(HtmlReport, StaysUnderTwoMegabytesWhateverTheModelHas) {
  HtmlReport r = report();
  for (int i = 0; i < 50000; ++i)
    r.fates.push_back(
        {fmt::format("/encoder/layer.{}/attention/self/MatMul", i), "",
         "MatMul", "float", false, i, i,
         "its weight is smaller than --min-bytes"});
  const std::string page = html_report(r);
  EXPECT_LT(page.size(), 2'000'000);
  EXPECT_THAT(page, HasSubstr("rows are left out here"));
  // The largest weight first; the smallest is what is left out.
  EXPECT_THAT(page, HasSubstr("/encoder/layer.49999/"));
  EXPECT_THAT(page, Not(HasSubstr("/encoder/layer.0/")));
  EXPECT_THAT(page, HasSubstr("50,000"));  // the summary counts them all
}

TEST(Fates, OfAPlanTellBytesAndReasons) {
  Plan plan;
  plan.decisions.resize(2);
  plan.decisions[0].op = "MatMul";
  plan.decisions[0].action = Action::integer;
  plan.decisions[0].bytes_before = 400;
  plan.decisions[0].bytes_after = 100;
  plan.decisions[1].bytes_before = 40;
  plan.decisions[1].reason = "small";
  const auto all = fates(plan);
  ASSERT_EQ(all.size(), 2);
  EXPECT_TRUE(all[0].quantized);
  EXPECT_EQ(all[0].becomes, "MatMulInteger");
  EXPECT_EQ(all[0].bytes_after, 100);
  EXPECT_FALSE(all[1].quantized);
  EXPECT_EQ(all[1].bytes_after, 40);  // it stays what it is
  EXPECT_EQ(all[1].reason, "small");
}

TEST(Fates, OfGraphsFindEachNodeInBothPlans) {
  // Two nodes without a name: told apart by their order.
  const std::vector<Change> changes = {
      {"", "", "MatMul", "MatMulInteger", true},
      {"", "", "Gemm", "Gemm", false},
      {"a", "", "MatMul", "MatMul", false},
      {"a", "then", "MatMul", "gone", false}};
  const auto decision = [](const char* node, const char* scope, const char* op,
                           int64_t bytes, const char* reason) {
    Decision d;
    d.node = node;
    d.scope = scope;
    d.op = op;
    d.bytes_before = bytes;
    d.reason = reason;
    return d;
  };
  Plan planned, left;
  planned.decisions = {decision("", "", "MatMul", 100, ""),
                       decision("", "", "Gemm", 200, ""),
                       decision("a", "", "MatMul", 300, ""),
                       decision("a", "then", "MatMul", 400, "")};
  left.decisions = {decision("", "", "Gemm", 200, "excluded"),
                    decision("a", "", "MatMul", 300, "of type double")};
  const auto all = fates(changes, planned, left);
  ASSERT_EQ(all.size(), 4);
  EXPECT_EQ(all[0].bytes_before, 100);
  EXPECT_EQ(all[0].becomes, "MatMulInteger");
  EXPECT_EQ(all[0].bytes_after, std::nullopt);
  EXPECT_EQ(all[1].bytes_before, 200);
  EXPECT_EQ(all[1].becomes, "as before");
  EXPECT_EQ(all[1].reason, "excluded");
  EXPECT_EQ(all[2].reason, "of type double");
  EXPECT_EQ(all[3].bytes_before, 400);
  EXPECT_EQ(all[3].becomes, "gone");
  EXPECT_EQ(all[3].reason, "");
}

TEST(HtmlReport, ShowsTheTimesOfBothModels) {
  HtmlReport r = report();
  BenchResult l;
  l.rounds = 2;
  l.contenders.resize(2);
  l.contenders[0].name = "original";
  l.contenders[0].blocks = {{2000000, 4000000, 6000000}, {5000000}};
  l.contenders[0].summary = summarize({2e6, 4e6, 6e6, 5e6});
  l.contenders[1].name = "copy";
  l.contenders[1].blocks = {{1000000}, {3000000, 2000000}};
  l.contenders[1].summary = summarize({1e6, 3e6, 2e6});
  l.pairs = {{0, 1, 2, {1, 3}, {1, 3}, Outcome::too_few}};
  r.latency = l;
  const std::string page = html_report(r);
  // Sorted, the original's are 2, 4, 5, 6 ms: the median is 4.5 ms, and a tenth
  // of the way from the first to the last is 0.3 of the first step.
  EXPECT_THAT(page, HasSubstr("<th scope=row>original<td class=n>2.00 ms<td "
                              "class=n>2.60 ms<td class=n>4.50 ms"));
  // The copy's second round has 3 and 2 ms.
  EXPECT_THAT(page, HasSubstr("data-v=0.0025>2.50 ms"));
}

}  // namespace
}  // namespace octavo
