#include "base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace octavo {
namespace {

TEST(Random, IsTheSameForTheSameSeedAndStream) {
  Random a(7, 3), b(7, 3), c(7, 4), d(8, 3);
  for (int i = 0; i < 100; ++i) {
    const uint64_t x = a.next();
    EXPECT_EQ(x, b.next());
    EXPECT_NE(x, c.next());
    EXPECT_NE(x, d.next());
  }
}

TEST(Random, UniformStaysBelowOneAndFillsTheRange) {
  Random random(1);
  std::vector<int> counts(10);
  for (int i = 0; i < 100000; ++i) {
    const double x = random.uniform();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    ++counts[static_cast<size_t>(x * 10)];
  }
  // 10000 expected; five standard deviations are 474.
  for (int count : counts) EXPECT_NEAR(count, 10000, 474);
}

TEST(Random, NormalHasMeanZeroAndVarianceOne) {
  Random random(2);
  constexpr int kCount = 200000;
  double sum = 0, squares = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.normal();
    ASSERT_LE(std::fabs(x), 6);
    sum += x;
    squares += x * x;
  }
  // Standard errors: 1 / sqrt(n) and about sqrt(2 / n).
  EXPECT_NEAR(sum / kCount, 0, 5 / std::sqrt(kCount));
  EXPECT_NEAR(squares / kCount, 1, 5 * std::sqrt(2.0 / kCount));
}

}  // namespace
}  // namespace octavo
