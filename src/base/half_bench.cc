// How fast 16-bit floats are widened; the bytes counted are those read.
#include <benchmark/benchmark.h>

#include <vector>

#include "base/half.h"

namespace octavo {
namespace {

template <void (*decode)(std::span<const std::byte>, std::span<float>) noexcept>
void widen(benchmark::State& state) {
  std::vector<float> out(static_cast<size_t>(state.range(0)));
  std::vector<std::byte> in(out.size() * 2);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<std::byte>(i * 2654435761u >> 13);
  for (auto _ : state) {
    decode(in, out);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(in.size()));
}
BENCHMARK(widen<decode_float16>)->Name("decode_float16")->Arg(1 << 18);
BENCHMARK(widen<decode_bfloat16>)->Name("decode_bfloat16")->Arg(1 << 18);

}  // namespace
}  // namespace octavo
