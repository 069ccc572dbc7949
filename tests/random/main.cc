// Judges the copies of many random graphs: `octavo_random [FIRST [COUNT]]`.
// Prints each failing graph, as small as it still fails, and writes its model
// to random-SEED.onnx; ends with 1 if any failed.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "testing/both.h"
#include "testing/random_graph.h"

int main(int argc, char** argv) {
  const uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20000;
  const auto runtime = octavo::testing::runtime_or_null();
  if (!runtime) return 77;
  const int64_t newest = octavo::testing::newest_opset();
  uint64_t failed = 0, idle = 0;
  int64_t quantized = 0, checked = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const auto v = octavo::testing::judge(
        octavo::testing::random_graph(seed, octavo::testing::kMaxSteps, newest),
        runtime);
    quantized += v.quantized;
    checked += v.checked;
    idle += v.quantized == 0;
    if (v.fault.empty()) continue;
    ++failed;
    const auto [steps, small] =
        octavo::testing::minimised(seed, newest, runtime);
    const auto graph = octavo::testing::random_graph(seed, steps, newest);
    const std::string path = fmt::format("random-{}.onnx", seed);
    const std::string bytes = graph.model->bytes();
    std::ofstream(path, std::ios::binary) << bytes;
    fmt::print("seed {}, {} steps: {}\n{}{}\n\n", seed, steps, small.fault,
               graph.text, path);
    std::fflush(stdout);
  }
  fmt::print(
      "seeds {} to {}: {} failed; {} nodes quantized, {} held to a bound, "
      "{} graphs without a quantized node\n",
      first, first + count - 1, failed, quantized, checked, idle);
  return failed == 0 ? 0 : 1;
}
