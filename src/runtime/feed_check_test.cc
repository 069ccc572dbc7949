#include "runtime/feed_check.h"

#include <gmock/gmock.h>

#include "octavo/error.h"

namespace octavo {
namespace {

using ::testing::HasSubstr;

Port port(const std::string& name, DType type, std::vector<Dim> dims) {
  Port out;
  out.name = name;
  out.type = type;
  out.dims = std::move(dims);
  return out;
}

// Two inputs that share the dimension "batch".
const std::vector<Port> kPorts = {
    port("image", DType::float32, {{-1, "batch"}, {3, ""}}),
    port("size", DType::int64, {{-1, "batch"}})};

Feed feed(Tensor image, Tensor size) {
  Feed out;
  out.inputs.emplace_back("size", std::move(size));
  out.inputs.emplace_back("image", std::move(image));
  return out;
}

std::string refusal(const Feed& feed) {
  try {
    check_feed(feed, kPorts);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "nothing was refused";
}

TEST(CheckFeed, OrdersWhatFits) {
  const Feed good =
      feed(make_tensor(DType::float32, {2, 3}), make_tensor(DType::int64, {2}));
  const auto values = check_feed(good, kPorts);
  EXPECT_EQ(values[0], &good.inputs[1].second);
  EXPECT_EQ(values[1], &good.inputs[0].second);
}

TEST(CheckFeed, NamesWhatIsMissing) {
  Feed f;
  f.inputs.emplace_back("image", make_tensor(DType::float32, {2, 3}));
  EXPECT_EQ(refusal(f),
            "the input 'size' (int64 [batch]) is missing; given: 'image'.");
}

TEST(CheckFeed, OffersTheNearestName) {
  Feed f;
  f.inputs.emplace_back("imgae", make_tensor(DType::float32, {2, 3}));
  EXPECT_EQ(refusal(f),
            "the model has no input 'imgae'; did you mean 'image'? its inputs "
            "are 'image' (float32 [batch,3]) and 'size' (int64 [batch]).");
}

TEST(CheckFeed, RefusesTheSameInputTwice) {
  Feed f =
      feed(make_tensor(DType::float32, {2, 3}), make_tensor(DType::int64, {2}));
  f.inputs.push_back(f.inputs[0]);
  EXPECT_THAT(refusal(f), HasSubstr("'size' is given twice"));
}

TEST(CheckFeed, CastsNothing) {
  EXPECT_EQ(refusal(feed(make_tensor(DType::float64, {2, 3}),
                         make_tensor(DType::int64, {2}))),
            "the input 'image' is float64 [2,3], but the model declares "
            "float32 [batch,3]; convert it to float32 first, for nothing is "
            "cast silently.");
}

TEST(CheckFeed, RefusesAnotherRank) {
  EXPECT_THAT(refusal(feed(make_tensor(DType::float32, {3}),
                           make_tensor(DType::int64, {2}))),
              HasSubstr("give it 2 dimensions, not 1"));
}

TEST(CheckFeed, RefusesAStaticDimensionThatDiffers) {
  EXPECT_THAT(refusal(feed(make_tensor(DType::float32, {2, 4}),
                           make_tensor(DType::int64, {2}))),
              HasSubstr("its dimension 1 must be 3, not 4"));
}

TEST(CheckFeed, RefusesTwoValuesOfOneName) {
  EXPECT_THAT(
      refusal(feed(make_tensor(DType::float32, {2, 3}),
                   make_tensor(DType::int64, {5}))),
      HasSubstr("its dimension 'batch' is 5, and the input 'image' made it 2"));
}

TEST(CheckFeed, AcceptsAnyShapeWhereNoneIsDeclared) {
  Port any = port("x", DType::float32, {});
  any.has_rank = false;
  Feed f;
  f.inputs.emplace_back("x", make_tensor(DType::float32, {1, 2, 3}));
  EXPECT_EQ(check_feed(f, {any}).size(), 1u);
}

TEST(CheckFeed, WantsASequenceWhereOneIsDeclared) {
  Port list = port("x", DType::undefined, {});
  list.kind = ValueKind::sequence;
  Feed f;
  f.inputs.emplace_back("x", make_tensor(DType::float32, {1}));
  EXPECT_THROW(check_feed(f, {list}), Error);
  f.inputs[0].second.kind = ValueKind::sequence;
  EXPECT_EQ(check_feed(f, {list}).size(), 1u);
}

}  // namespace
}  // namespace octavo
