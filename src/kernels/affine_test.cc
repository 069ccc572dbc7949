#include "kernels/affine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "testing/every_target.h"

namespace octavo::kernels {
namespace {

using testing::on_every_target;

std::vector<float> awkward(size_t n, uint32_t seed) {
  std::mt19937 rng(seed);
  std::vector<float> v(n);
  for (auto& x : v) {
    x = (static_cast<float>(rng() % 60001) - 30000) / 1000;
    if (rng() % 17 == 0) x = -0.0f;
    if (rng() % 19 == 0) x = 1e-42f;
    if (rng() % 5 == 0) x = static_cast<float>(rng() % 40) - 19.5f;  // halves
  }
  return v;
}

// The formula, by hand.
int obvious_steps(float w, float scale, int low, int high) {
  const float x = w / scale;
  float whole = std::floor(x);
  const float part = x - whole;
  if (part > 0.5f || (part == 0.5f && std::fmod(whole, 2.0f) != 0)) whole += 1;
  return static_cast<int>(
      std::clamp(whole, static_cast<float>(low), static_cast<float>(high)));
}

const Affine kForms[] = {{1.0f, 8}, {-0.75f, 8}, {0.37f, 0}, {2.5f, 15}};

TEST(QuantizeAffine, AgreesWithTheObviousAtEveryLengthAndWritesNoFurther) {
  on_every_target([] {
    for (size_t n = 0; n <= 67; ++n)
      for (const Affine a : kForms)
        for (const int levels : {15, 255}) {
          const auto w = awkward(n + 1, static_cast<uint32_t>(n));
          std::vector<uint8_t> q(n + 8, 99);
          quantize_affine(w.data() + 1, n, a, levels, q.data());
          for (size_t i = 0; i < n; ++i)
            EXPECT_EQ(q[i], a.zero + obvious_steps(w[i + 1], a.scale, -a.zero,
                                                   levels - a.zero));
          for (size_t i = n; i < q.size(); ++i) EXPECT_EQ(q[i], 99);
        }
  });
}

TEST(AffineError, IsTheSumOfSquaresAndTheSameOnEveryTarget) {
  for (const size_t n : {0u, 1u, 15u, 16u, 17u, 256u, 1024u, 1025u, 5000u})
    for (const Affine a : kForms) {
      const auto w = awkward(n + 3, static_cast<uint32_t>(n) + 5);
      long double want = 0;
      for (size_t i = 0; i < n; ++i) {
        const long double d =
            static_cast<long double>(w[i + 3]) -
            static_cast<long double>(a.scale) *
                obvious_steps(w[i + 3], a.scale, -a.zero, 15 - a.zero);
        want += d * d;
      }
      std::vector<double> got;
      on_every_target(
          [&] { got.push_back(affine_error(w.data() + 3, n, a, 15)); });
      for (const double g : got) EXPECT_EQ(g, got[0]);
      // Each part is rounded a few times, at most 64 of them in a row.
      EXPECT_NEAR(got[0], static_cast<double>(want),
                  1e-5 * static_cast<double>(want) + 1e-9);
    }
}

TEST(AddSymmetricErrors, AgreesWithOneColumnAtATime) {
  on_every_target([] {
    for (size_t n = 0; n <= 35; ++n) {
      const auto w = awkward(n, 9);
      std::vector<float> scale(n), error(n + 2, 2.0f);
      for (size_t i = 0; i < n; ++i)
        scale[i] = 0.1f * static_cast<float>(i + 1);
      add_symmetric_errors(w.data(), n, scale.data(), 127, error.data());
      for (size_t i = 0; i < n; ++i) {
        const double d = static_cast<double>(w[i]) -
                         static_cast<double>(scale[i]) *
                             obvious_steps(w[i], scale[i], -127, 127);
        EXPECT_NEAR(static_cast<double>(error[i]), 2 + d * d,
                    1e-5 * (2 + d * d));
      }
      for (size_t i = n; i < error.size(); ++i) EXPECT_EQ(error[i], 2.0f);
    }
  });
}

TEST(RangeOf, IsTheLeastAndTheGreatestAtEveryLength) {
  on_every_target([] {
    for (size_t n = 1; n <= 67; ++n) {
      const auto w = awkward(n + 1, static_cast<uint32_t>(n));
      const Range r = range_of(w.data() + 1, n);
      EXPECT_EQ(r.low, *std::min_element(w.begin() + 1, w.end()));
      EXPECT_EQ(r.high, *std::max_element(w.begin() + 1, w.end()));
    }
    EXPECT_EQ(range_of(nullptr, 0).high, 0);
  });
}

}  // namespace
}  // namespace octavo::kernels
