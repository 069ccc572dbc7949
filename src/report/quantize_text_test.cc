#include "report/quantize_text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace octavo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

QuantizeContext plan_of(int nodes) {
  QuantizeContext c;
  c.dry_run = true;
  Plan& plan = c.result.plan;
  plan.candidates = nodes;
  for (int i = 0; i < nodes; ++i) {
    Decision d;
    d.op = "MatMul";
    d.node = fmt::format("node{}.", i);
    d.bytes_before = 100;
    d.reason = "its weight is small";
    plan.decisions.push_back(d);
  }
  return c;
}

TEST(QuantizeText, SumsUpAndListsNoMoreNodesThanAsked) {
  const QuantizeContext c = plan_of(12800);
  const std::string some = quantize_text(c, kFirstNodes, {});
  EXPECT_THAT(some, HasSubstr("0 of 12,800 candidate nodes quantized"));
  EXPECT_THAT(some, HasSubstr("MatMul, 12,800 nodes: for example, its weight"));
  EXPECT_THAT(some, HasSubstr("node99."));
  EXPECT_THAT(some, Not(HasSubstr("node100.")));
  EXPECT_THAT(some, HasSubstr("... and 12,700 more; --verbose lists them"));
  EXPECT_THAT(quantize_text(c, kEveryNode, {}), HasSubstr("node12799."));
  EXPECT_THAT(quantize_text(c, 0, {}), Not(HasSubstr("node0.")));
}

TEST(QuantizeText, HasNoLastLineWhereAllNodesFit) {
  EXPECT_THAT(quantize_text(plan_of(100), kFirstNodes, {}),
              Not(HasSubstr("more;")));
}

}  // namespace
}  // namespace octavo
