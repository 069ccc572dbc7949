// A few hundred random graphs; tests/random/main.cc judges them by the
// thousand.
#include <gtest/gtest.h>

#include "testing/both.h"
#include "testing/random_graph.h"

namespace octavo {
namespace {

TEST(RandomGraphs, KeepTheBoundsThatTheirScalesAllow) {
  OCTAVO_NEED_RUNTIME();
  const auto runtime = testing::runtime_or_null();
  const int64_t newest = testing::newest_opset();
  int quantized = 0, checked = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const auto v = testing::judge(
        testing::random_graph(seed, testing::kMaxSteps, newest), runtime);
    quantized += v.quantized;
    checked += v.checked;
    if (v.fault.empty()) continue;
    const auto [steps, small] = testing::minimised(seed, newest, runtime);
    ADD_FAILURE() << "seed " << seed << ", " << steps
                  << " steps: " << small.fault << "\n"
                  << testing::random_graph(seed, steps, newest).text;
  }
  EXPECT_GT(quantized, 500);
  EXPECT_GT(checked, 500);
}

}  // namespace
}  // namespace octavo
