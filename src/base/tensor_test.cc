#include "octavo/tensor.h"

#include <gtest/gtest.h>

#include "octavo/error.h"

namespace octavo {
namespace {

TEST(ElementCount, MultipliesAndKnowsScalarsAndEmpties) {
  EXPECT_EQ(element_count(Shape{}), 1);
  EXPECT_EQ(element_count(Shape{2, 3, 4}), 24);
  EXPECT_EQ(element_count(Shape{1LL << 40, 1LL << 40, 0}), 0);
}

TEST(ElementCount, RefusesNegativeAndOverflowing) {
  EXPECT_THROW(element_count(Shape{2, -1}), Error);
  EXPECT_THROW(element_count(Shape{0, -1}), Error);
  EXPECT_THROW(element_count(Shape{1LL << 32, 1LL << 32}), Error);
}

TEST(ByteSize, RoundsNibblesUpAndChecksOverflow) {
  EXPECT_EQ(byte_size(DType::int4, Shape{3}), 2);
  EXPECT_EQ(byte_size(DType::float16, Shape{3, 5}), 30);
  EXPECT_EQ(byte_size(DType::string, Shape{3}), 0);
  EXPECT_THROW(byte_size(DType::float64, Shape{1LL << 60}), Error);
}

TEST(DTypeName, IsItsOwnInverse) {
  for (int i = 0; i <= 26; ++i) {
    const auto t = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(dtype_name(t)), t);
  }
  EXPECT_EQ(dtype_from_name("float99"), std::nullopt);
  EXPECT_EQ(dtype_name(static_cast<DType>(-5)), "unknown");
}

}  // namespace
}  // namespace octavo
