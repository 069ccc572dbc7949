// What paired answers can tell about a change of accuracy: how surprising the
// observed one is, and how small a one could have been seen at all.
#pragma once

#include <cstdint>
#include <optional>

namespace octavo {

// McNemar's exact two-sided p: of `lost + gained` samples on which exactly one
// model is right, each is lost or gained with probability 1/2. Twice the
// binomial tail, at most 1; 1 where there are none. Both are not negative.
// (A. Agresti, Categorical Data Analysis, section 11.1.)
double mcnemar_p(int64_t lost, int64_t gained) noexcept;

// The smallest drop d for which McNemar's test at 5 % (two-sided) on `samples`
// pairs has a power of 80 %, where a share q = max(`discordant`, d) of them is
// right in one model only: samples = (z1 sqrt(q) + z2 sqrt(q - d^2))^2 / d^2
// with z1 = 1.960, z2 = 0.842 (R. J. Connett, J. A. Smith, R. B. McHugh,
// Statistics in Medicine 6, 1987). Empty: not even 1 would do.
std::optional<double> detectable_drop(int64_t samples,
                                      double discordant) noexcept;

}  // namespace octavo
