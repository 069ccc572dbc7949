#include "report/array_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

namespace octavo {
namespace {

// The layouts are those that numpy 2 prints for the same arrays.

TEST(ArrayText, LinesUpFloats) {
  const Tensor t =
      make_tensor<float>(DType::float32, {2, 2}, {1, -2.5, 0.25, 10});
  EXPECT_EQ(array_text(t), "[[ 1.00 -2.50]\n [ 0.25 10.00]]");
}

TEST(ArrayText, WritesWholeFloatsWithAPoint) {
  EXPECT_EQ(array_text(make_tensor<float>(DType::float32, {3}, {1, 2, -3})),
            "[ 1.  2. -3.]");
}

TEST(ArrayText, TakesAnExponentForSmallAndLargeValues) {
  EXPECT_EQ(array_text(make_tensor<double>(DType::float64, {2}, {1e-5, 1})),
            "[1.00000000e-05 1.00000000e+00]");
}

TEST(ArrayText, ShowsNanAndInfinity) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(
      array_text(make_tensor<double>(DType::float64, {4}, {1, nan, inf, -inf})),
      "[  1.  nan  inf -inf]");
}

TEST(ArrayText, ShowsScalarsEmptiesAndDeepArrays) {
  EXPECT_EQ(array_text(make_tensor<int64_t>(DType::int64, {}, {7})), "7");
  EXPECT_EQ(array_text(make_tensor(DType::float32, {0, 3})), "[]");
  EXPECT_EQ(
      array_text(make_tensor<int8_t>(DType::int8, {2, 1, 2}, {1, 2, 3, 4})),
      "[[[1 2]]\n\n [[3 4]]]");
}

TEST(ArrayText, KeepsIntegersExact) {
  const int64_t big = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(array_text(make_tensor<int64_t>(DType::int64, {1}, {big})),
            "[9223372036854775807]");
  EXPECT_EQ(array_text(make_tensor<uint8_t>(DType::boolean, {2}, {1, 0})),
            "[ True False]");
}

TEST(ArrayText, ShowsComplexAndPackedElements) {
  EXPECT_EQ(array_text(make_tensor<float>(DType::complex64, {1}, {1, -0.5})),
            "[1.0-0.5j]");
  EXPECT_EQ(array_text(make_tensor<uint8_t>(DType::int4, {2}, {0xf1})),
            "[ 1 -1]");
}

TEST(ArrayText, QuotesTextsAndMakesThemPrintable) {
  Tensor t = make_tensor(DType::string, {2});
  t.strings = {"a", "\x1b[31mred"};
  EXPECT_EQ(array_text(t), "['a'        '?[31mred']");
}

TEST(ArrayText, CutsTheMiddleOfLongAxesUnlessAskedForAll) {
  std::vector<int32_t> values(10);
  std::iota(values.begin(), values.end(), 0);
  const Tensor t = make_tensor<int32_t>(DType::int32, {10}, values);
  ArrayTextOptions options;
  options.threshold = 9;
  EXPECT_EQ(array_text(t, options), "[0 1 2 ... 7 8 9]");
  options.threshold = 0;
  EXPECT_EQ(array_text(t, options), "[0 1 2 3 4 5 6 7 8 9]");
}

TEST(ArrayText, BreaksLongRows) {
  std::vector<int32_t> values(8, 100);
  ArrayTextOptions options;
  options.width = 16;
  EXPECT_EQ(
      array_text(make_tensor<int32_t>(DType::int32, {8}, values), options),
      "[100 100 100\n 100 100 100\n 100 100]");
}

}  // namespace
}  // namespace octavo
