// A seeded generator whose numbers are the same on every platform, which the
// standard library's distributions do not promise: xoshiro256** (Blackman and
// Vigna, 2018), its state filled by splitmix64.
#pragma once

#include <bit>
#include <cstdint>

namespace octavo {

class Random {
 public:
  // Different `stream`s of one seed are independent sequences.
  explicit Random(uint64_t seed, uint64_t stream = 0) noexcept {
    uint64_t state = seed;
    state = mix(state) ^ (stream * 0xD1B54A32D192ED03u);
    for (uint64_t& word : state_) word = mix(state);
  }

  uint64_t next() noexcept {
    const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // In [0, 1), a multiple of 2^-53.
  double uniform() noexcept {
    return static_cast<double>(next() >> 11) * 0x1p-53;
  }

  // In [0, bound), bound > 0; a bias of at most bound / 2^64.
  uint64_t below(uint64_t bound) noexcept { return next() % bound; }

  // Close to normal(0,1): the sum of twelve uniform numbers of 16 bits, less
  // its mean. Variance 1 to 10 digits, within [-6, 6], and free of logarithms
  // and cosines, whose last bit differs between platforms.
  double normal() noexcept {
    int64_t sum = 0;
    for (int i = 0; i < 3; ++i)
      for (uint64_t bits = next(), k = 0; k < 4; ++k, bits >>= 16)
        sum += static_cast<int64_t>(bits & 0xFFFF);
    return (static_cast<double>(sum) - 12 * 32767.5) / 65536;
  }

 private:
  static uint64_t mix(uint64_t& state) noexcept {
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  uint64_t state_[4] = {};
};

}  // namespace octavo
