// How fast the statistics of float32 outputs are made; the bytes counted are
// those of both inputs.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "compare/float_sums.h"

namespace octavo {
namespace {

void add_float32(benchmark::State& state) {
  const int64_t n = state.range(0);
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> r, c;
  for (int64_t i = 0; i < n; ++i) {
    r.push_back(normal(random));
    c.push_back(r.back() + 0.01f * normal(random));
  }
  FloatSums sums;
  for (auto _ : state) {
    add_floats<float>(sums, reinterpret_cast<const std::byte*>(r.data()),
                      reinterpret_cast<const std::byte*>(c.data()), n);
    benchmark::DoNotOptimize(sums.squares);
  }
  state.SetBytesProcessed(state.iterations() * n * 2 *
                          static_cast<int64_t>(sizeof(float)));
}
BENCHMARK(add_float32)->Arg(10)->Arg(1000)->Arg(1 << 20);

}  // namespace
}  // namespace octavo
