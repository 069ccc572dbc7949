#include "compare/mcnemar.h"

#include <algorithm>
#include <cmath>

namespace octavo {
namespace {

constexpr double kZ975 = 1.959963984540054;
constexpr double kZ80 = 0.8416212335729143;

double samples_needed(double drop, double discordant) noexcept {
  const double q = std::max(discordant, drop);
  const double root =
      kZ975 * std::sqrt(q) + kZ80 * std::sqrt(std::max(0.0, q - drop * drop));
  return root * root / (drop * drop);
}

}  // namespace

double mcnemar_p(int64_t lost, int64_t gained) noexcept {
  const auto n = static_cast<double>(lost) + static_cast<double>(gained);
  const auto few = static_cast<double>(std::min(lost, gained));
  // The tail from its largest term down; each next one is k / (n - k + 1) of
  // the last.
  double term = std::exp(std::lgamma(n + 1) - std::lgamma(few + 1) -
                         std::lgamma(n - few + 1) - n * std::log(2.0));
  double tail = 0;
  for (double k = few; k >= 0 && term > tail * 1e-18; --k) {
    tail += term;
    term *= k / (n - k + 1);
  }
  return std::min(1.0, 2 * tail);
}

std::optional<double> detectable_drop(int64_t samples,
                                      double discordant) noexcept {
  const auto n = static_cast<double>(samples);
  if (samples <= 0 || samples_needed(1, discordant) > n) return std::nullopt;
  // The number of samples needed falls as the drop grows.
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (samples_needed(middle, discordant) > n ? low : high) = middle;
  }
  return high;
}

}  // namespace octavo
