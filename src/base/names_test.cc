#include "base/names.h"

#include <gmock/gmock.h>

namespace octavo {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Nearest, FindsTyposSwapsAndCase) {
  const std::vector<std::string> names = {"input_ids", "attention_mask",
                                          "token_type_ids"};
  EXPECT_THAT(nearest("inptu_ids", names), ElementsAre("input_ids"));
  EXPECT_THAT(nearest("INPUT_IDS", names), ElementsAre("input_ids"));
  EXPECT_THAT(nearest("mask", names), ElementsAre("attention_mask"));
}

TEST(Nearest, OrdersByDistanceAndStopsAtThree) {
  const std::vector<std::string> names = {"abcdex", "abcdef", "abcdxx", "abcde",
                                          "abcdeg"};
  EXPECT_THAT(nearest("abcdef", names),
              ElementsAre("abcdef", "abcdex", "abcde"));
}

TEST(Nearest, OffersNothingFar) {
  const std::vector<std::string> names = {"image", "y", ""};
  EXPECT_THAT(nearest("logits", names), IsEmpty());
  EXPECT_THAT(nearest("x", names), IsEmpty());
  EXPECT_THAT(nearest("", names), ElementsAre(""));
}

TEST(DidYouMean, ReadsAsAQuestion) {
  const std::vector<std::string> names = {"x1", "x2", "x3", "logits"};
  EXPECT_EQ(did_you_mean("logit", names), "did you mean 'logits'?");
  EXPECT_EQ(did_you_mean("x4", names), "did you mean 'x1', 'x2' or 'x3'?");
  EXPECT_EQ(did_you_mean("attention", names), "");
}

TEST(NameList, JoinsAndCuts) {
  EXPECT_EQ(name_list(std::vector<std::string>{}), "none");
  EXPECT_EQ(name_list(std::vector<std::string>{"a"}), "'a'");
  EXPECT_EQ(name_list(std::vector<std::string>{"a", "b", "c"}),
            "'a', 'b' and 'c'");
  EXPECT_EQ(name_list(std::vector<std::string>{"a", "b", "c"}, 2),
            "'a', 'b' and 1 more");
}

TEST(NaturalLess, CountsDigitsAsNumbers) {
  EXPECT_TRUE(natural_less("set_2", "set_10"));
  EXPECT_FALSE(natural_less("set_10", "set_2"));
  EXPECT_TRUE(natural_less("a", "b"));
  EXPECT_TRUE(natural_less("a", "a1"));
  EXPECT_TRUE(natural_less("x9y", "x10"));
  EXPECT_TRUE(natural_less("x01", "x1"));  // equal as numbers: by bytes
  EXPECT_FALSE(natural_less("x1", "x01"));
  EXPECT_FALSE(natural_less("x1", "x1"));
}

}  // namespace
}  // namespace octavo
