#include "compare/mcnemar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace octavo {
namespace {

TEST(McNemar, IsTwiceTheBinomialTail) {
  EXPECT_EQ(mcnemar_p(0, 0), 1);
  EXPECT_NEAR(mcnemar_p(5, 0), 2.0 / 32, 1e-12);
  EXPECT_NEAR(mcnemar_p(0, 6), 2.0 / 64, 1e-12);
  EXPECT_NEAR(mcnemar_p(1, 5), 2.0 * (1 + 6) / 64, 1e-12);
  // 2 of 12: 1 + 12 + 66 of 4096, twice.
  EXPECT_NEAR(mcnemar_p(10, 2), 158.0 / 4096, 1e-12);
  EXPECT_EQ(mcnemar_p(7, 7), 1);
}

TEST(McNemar, HoldsForManySamples) {
  // The normal approximation with continuity, z = (|b - c| - 1) / sqrt(b + c),
  // is good to a few digits here: z = 1999 / sqrt(1e6 + 2000).
  const double z = 1999 / std::sqrt(1002000.0);
  EXPECT_NEAR(mcnemar_p(502000, 500000), std::erfc(z / std::sqrt(2.0)), 1e-5);
  EXPECT_EQ(mcnemar_p(1000000, 0), 0);  // below the least double
}

TEST(DetectableDrop, SolvesItsFormula) {
  for (const int64_t n : {20, 397, 2000, 1000000})
    for (const double q : {0.0, 0.01, 0.2}) {
      const std::optional<double> d = detectable_drop(n, q);
      ASSERT_TRUE(d) << n;
      const double share = std::max(q, *d);
      const double root = 1.959963984540054 * std::sqrt(share) +
                          0.8416212335729143 * std::sqrt(share - *d * *d);
      EXPECT_NEAR(root * root / (*d * *d) / static_cast<double>(n), 1, 1e-9);
    }
}

TEST(DetectableDrop, IsNoneForAHandfulOfSamples) {
  // 1.96^2 = 3.84: with three samples not even a drop of 1 is seen.
  EXPECT_FALSE(detectable_drop(3, 0));
  EXPECT_TRUE(detectable_drop(4, 0));
  EXPECT_FALSE(detectable_drop(0, 0));
}

}  // namespace
}  // namespace octavo
