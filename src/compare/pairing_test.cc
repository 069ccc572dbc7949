#include "compare/pairing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "octavo/error.h"
#include "testing/fake_runner.h"

namespace octavo {
namespace {

using ::testing::ElementsAre;
using testing::FakeRunner;
using ::testing::HasSubstr;
using testing::port;

FakeRunner giving(std::vector<Port> outputs) {
  return FakeRunner({port("x")}, std::move(outputs),
                    [](const Feed&) { return std::vector<Value>(); });
}

std::vector<std::string> text(const Pairing& p) {
  std::vector<std::string> out;
  for (const OutputPair& pair : p.pairs)
    out.push_back(pair.name + std::to_string(pair.reference) +
                  std::to_string(pair.candidate));
  return out;
}

TEST(Pairing, GoesByNameFirst) {
  const auto a = giving({port("u"), port("v")});
  const auto b = giving({port("v"), port("u")});
  const Pairing p = pair_outputs(a, b);
  EXPECT_THAT(text(p), ElementsAre("u01", "v10"));
  EXPECT_EQ(p.pairs[0].note, "");
}

TEST(Pairing, GoesByPositionWhereNamesDiffer) {
  const auto a = giving({port("u"), port("v"), port("w")});
  const auto b = giving({port("v"), port("1"), port("2")});
  const Pairing p = pair_outputs(a, b);
  EXPECT_THAT(text(p), ElementsAre("u01", "v10", "w22"));
  EXPECT_THAT(p.pairs[0].note, HasSubstr("'1'"));
  EXPECT_EQ(p.pairs[1].note, "");
}

TEST(Pairing, DoesNotGuessWhereTypesOrCountsDiffer) {
  const auto a = giving({port("u"), port("v")});
  const Pairing other =
      pair_outputs(a, giving({port("v"), port("1", DType::int64)}));
  EXPECT_THAT(other.only_reference, ElementsAre("u"));
  EXPECT_THAT(other.only_candidate, ElementsAre("1"));
  const Pairing more =
      pair_outputs(a, giving({port("v"), port("1"), port("2")}));
  EXPECT_THAT(more.only_candidate, ElementsAre("1", "2"));
  EXPECT_THROW(pair_outputs(a, giving({port("1")})), Error);
}

TEST(Pairing, DoesAsItIsTold) {
  const auto a = giving({port("u"), port("v")});
  const auto b = giving({port("u"), port("v")});
  const Pairing p = pair_outputs(a, b, {{"u", "v"}});
  EXPECT_EQ(p.pairs[0].candidate, 1);
  EXPECT_THAT(p.pairs[0].note, HasSubstr("'v'"));
  // What is left goes by position.
  EXPECT_EQ(p.pairs[1].candidate, 0);
}

TEST(Pairing, NamesTheNearestRightNames) {
  const auto a = giving({port("logits"), port("v")});
  try {
    pair_outputs(a, a, {{"logit", "v"}});
    FAIL() << "took a name that is none";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'logits'?"));
  }
  EXPECT_THROW(pair_outputs(a, a, {{"v", "logit"}}), Error);
  EXPECT_THROW(pair_outputs(a, a, {{"v", "logits"}, {"logits", "logits"}}),
               Error);
}

}  // namespace
}  // namespace octavo
