#include "compare/measures.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace octavo {
namespace {

// Sums of float64 outputs can overflow; then no formula of them holds.
bool usable(const FloatSums& s) {
  return s.finite > 0 && std::isfinite(s.squares) && std::isfinite(s.dot) &&
         std::isfinite(s.reference) && std::isfinite(s.candidate);
}

}  // namespace

std::optional<double> mean_abs(const FloatSums& s) {
  if (s.finite == 0) return std::nullopt;
  return s.difference / static_cast<double>(s.finite);
}

std::optional<double> rmse(const FloatSums& s) {
  if (!usable(s)) return std::nullopt;
  return std::sqrt(s.squares / static_cast<double>(s.finite));
}

std::optional<double> cosine(const FloatSums& s) {
  if (!usable(s) || s.reference == 0 || s.candidate == 0) return std::nullopt;
  if (s.squares == 0) return 1.0;
  // Two roots: the product of the two sums could overflow.
  return std::clamp(s.dot / (std::sqrt(s.reference) * std::sqrt(s.candidate)),
                    -1.0, 1.0);
}

std::optional<double> relative_l2(const FloatSums& s) {
  if (!usable(s)) return std::nullopt;
  if (s.squares == 0) return 0.0;
  if (s.reference == 0) return std::nullopt;
  return std::sqrt(s.squares) / std::sqrt(s.reference);
}

std::optional<double> sqnr_db(const FloatSums& s) {
  if (!usable(s)) return std::nullopt;
  if (s.squares == 0) return std::numeric_limits<double>::infinity();
  if (s.reference == 0) return std::nullopt;
  // A difference of logarithms, for the quotient could overflow.
  return 10 * (std::log10(s.reference) - std::log10(s.squares));
}

}  // namespace octavo
