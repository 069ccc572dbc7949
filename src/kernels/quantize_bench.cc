// How fast weights are measured and rounded, beside how fast the same machine
// copies them. The bytes counted are those read: floats, 1 MiB (fits the
// nearest caches) and 64 MiB (does not).
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "base/random.h"
#include "kernels/quantize.h"
#include "kernels/subnormals.h"

namespace octavo {
namespace {

constexpr size_t kCols = 768;

std::vector<float> weights(benchmark::State& state) {
  std::vector<float> w(static_cast<size_t>(state.range(0)) / sizeof(float) /
                       kCols * kCols);
  Random random(1);
  for (float& v : w) v = static_cast<float>(random.normal());
  return w;
}

void count_bytes(benchmark::State& state, const std::vector<float>& w) {
  state.SetBytesProcessed(state.iterations() *
                          static_cast<int64_t>(w.size() * sizeof(float)));
}

// The yardstick of all the others.
void copy(benchmark::State& state) {
  const auto w = weights(state);
  std::vector<float> out(w.size());
  for (auto _ : state) {
    std::memcpy(out.data(), w.data(), w.size() * sizeof(float));
    benchmark::ClobberMemory();
  }
  count_bytes(state, w);
}

void absmax_bits(benchmark::State& state) {
  const auto w = weights(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(kernels::absmax_bits(w.data(), w.size()));
  count_bytes(state, w);
}

void absmax_bits_columns(benchmark::State& state) {
  const auto w = weights(state);
  std::vector<uint32_t> bits(kCols);
  for (auto _ : state) {
    kernels::absmax_bits_columns(w.data(), w.size() / kCols, kCols,
                                 bits.data());
    benchmark::ClobberMemory();
  }
  count_bytes(state, w);
}

// One scale for all, as for a row or a whole tensor.
void quantize(benchmark::State& state) {
  const auto w = weights(state);
  std::vector<int8_t> q(w.size());
  for (auto _ : state) {
    kernels::quantize(w.data(), w.size(), 0.05f, q.data());
    benchmark::ClobberMemory();
  }
  count_bytes(state, w);
}

// A scale a column, row by row.
void quantize_each(benchmark::State& state) {
  const auto w = weights(state);
  std::vector<int8_t> q(w.size());
  const std::vector<float> scale(kCols, 0.05f);
  for (auto _ : state) {
    for (size_t i = 0; i < w.size(); i += kCols)
      kernels::quantize_each(w.data() + i, kCols, scale.data(), q.data() + i);
    benchmark::ClobberMemory();
  }
  count_bytes(state, w);
}

// Of weights that are all subnormal, which must cost no more.
void quantize_subnormals(benchmark::State& state) {
  auto w = weights(state);
  for (float& v : w) v *= 1e-39f;
  std::vector<int8_t> q(w.size());
  const kernels::SubnormalsAsZero quick(true);
  for (auto _ : state) {
    kernels::quantize(w.data(), w.size(), 1.0f, q.data());
    benchmark::ClobberMemory();
  }
  count_bytes(state, w);
}

#define OCTAVO_SIZES RangeMultiplier(64)->Range(1 << 20, 1 << 26)
BENCHMARK(copy)->OCTAVO_SIZES;
BENCHMARK(absmax_bits)->OCTAVO_SIZES;
BENCHMARK(absmax_bits_columns)->OCTAVO_SIZES;
BENCHMARK(quantize)->OCTAVO_SIZES;
BENCHMARK(quantize_each)->OCTAVO_SIZES;
BENCHMARK(quantize_subnormals)->OCTAVO_SIZES;

// The pairs that may saturate, over int8 weights: row by row, and in a row.
void count_saturating(benchmark::State& state) {
  std::vector<int8_t> q(static_cast<size_t>(state.range(0)));
  Random random(1);
  for (int8_t& v : q) v = static_cast<int8_t>(random.below(255));
  for (int8_t& v : q)
    if (v == -128) v = 127;
  const bool rows = state.range(1) != 0;
  const size_t pairs = q.size() / 2;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        rows ? kernels::count_saturating(q.data(), q.data() + pairs, pairs)
             : kernels::count_saturating_neighbours(q.data(), pairs));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(count_saturating)
    ->ArgNames({"", "rows"})
    ->Args({1 << 20, 1})
    ->Args({1 << 20, 0});

}  // namespace
}  // namespace octavo
