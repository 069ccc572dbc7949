#include "report/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace octavo {
namespace {

TEST(BytesText, UsesPowersOf1024WithOneDecimal) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text((1 << 20) - 1), "1.0 MiB");  // not "1024.0 KiB"
  EXPECT_EQ(bytes_text(440'000'000), "419.6 MiB");  // 440e6 / 2^20 = 419.617
  EXPECT_EQ(bytes_text(std::numeric_limits<uint64_t>::max()), "16.0 EiB");
}

TEST(CountText, GroupsByThousands) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(-1234567), "-1,234,567");
  EXPECT_EQ(count_noun(1, "sample"), "1 sample");
  EXPECT_EQ(count_noun(0, "sample"), "0 samples");
  EXPECT_EQ(count_noun(2, "batch", "batches"), "2 batches");
}

TEST(Significant, GivesThreeDigits) {
  EXPECT_EQ(significant(0.0012345), "0.00123");
  EXPECT_EQ(significant(9.999), "10.0");
  EXPECT_EQ(significant(-45.67), "-45.7");
  EXPECT_EQ(significant(123456), "123456");
  EXPECT_EQ(significant(1234567), "1.23e+06");
  EXPECT_EQ(significant(1.234e-7), "1.23e-07");
  EXPECT_EQ(significant(-0.0), "0");
  EXPECT_EQ(significant(std::nan("")), "NaN");
  EXPECT_EQ(significant(-INFINITY), "-infinity");
}

TEST(PlainNumber, HasNoZerosAtItsEnd) {
  EXPECT_EQ(plain_number(1.25), "1.25");
  EXPECT_EQ(plain_number(0.1), "0.1");
  EXPECT_EQ(plain_number(1234567.8), "1.23457e+06");
  EXPECT_EQ(plain_number(INFINITY), "infinity");
  EXPECT_EQ(plain_number(0), "0");
}

TEST(PercentText, NeverRoundsToAllOrNothing) {
  EXPECT_EQ(percent_text(0.25374), "25.37 %");
  EXPECT_EQ(percent_text(0), "0.00 %");
  EXPECT_EQ(percent_text(1), "100.00 %");
  EXPECT_EQ(percent_text(1e-6), "< 0.01 %");
  EXPECT_EQ(percent_text(1 - 1e-6), "> 99.99 %");
  EXPECT_EQ(percent_text(0.123, 0), "12 %");
}

TEST(RatioText, KeepsThreeDigits) {
  EXPECT_EQ(ratio_text(3.944), "3.94 x");
  EXPECT_EQ(ratio_text(9.996), "10.0 x");
  EXPECT_EQ(ratio_text(123.4), "123 x");
}

TEST(DurationText, TakesTheUnitThatFits) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(812e-9), "812 ns");
  EXPECT_EQ(duration_text(999.7e-9), "1.00 us");
  EXPECT_EQ(duration_text(0.00123), "1.23 ms");
  EXPECT_EQ(duration_text(1.5), "1.50 s");
  EXPECT_EQ(duration_text(125), "2 min 05 s");
  EXPECT_EQ(duration_text(3 * 3600 + 4 * 60), "3 h 04 min");
}

TEST(CosineText, ShowsTheDistanceFromOne) {
  EXPECT_EQ(cosine_text(1), "1");
  EXPECT_EQ(cosine_text(0.99312), "0.9931");
  EXPECT_EQ(cosine_text(1 - 1.3e-7), "0.99999987");
  EXPECT_EQ(cosine_text(-0.5), "-0.5000");
  EXPECT_EQ(cosine_text(std::nan("")), "undefined");
}

TEST(PointsText, IsSignedAndNeverHidesAChange) {
  EXPECT_EQ(points_text(0), "0 points");
  EXPECT_EQ(points_text(0.0025), "+0.25 points");
  EXPECT_EQ(points_text(-0.0125), "-1.25 points");
  EXPECT_EQ(points_text(-0.00001), "-0.001 points");
}

}  // namespace
}  // namespace octavo
