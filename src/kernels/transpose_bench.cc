// How fast int8 weights are turned over; the bytes counted are those read.
#include <benchmark/benchmark.h>

#include <vector>

#include "kernels/transpose.h"

namespace octavo {
namespace {

void transpose_bytes(benchmark::State& state) {
  const auto rows = static_cast<size_t>(state.range(0));
  const auto cols = static_cast<size_t>(state.range(1));
  const std::vector<int8_t> in(rows * cols, 1);
  std::vector<int8_t> out(in.size());
  for (auto _ : state) {
    kernels::transpose_bytes(in.data(), rows, cols, cols, out.data(), rows);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(in.size()));
}
// The sizes of BERT base's layers, and one whose rows all fall on the same
// lines of a cache.
BENCHMARK(transpose_bytes)
    ->Args({768, 768})
    ->Args({3072, 768})
    ->Args({4096, 4096});

}  // namespace
}  // namespace octavo
