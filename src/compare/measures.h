// The formulas that turn sums into measures, each in one function. Empty
// where a measure is undefined; see docs/compare.md for when to use which.
#pragma once

#include <optional>

#include "compare/float_sums.h"

namespace octavo {

// sum |r - c| / n.
std::optional<double> mean_abs(const FloatSums& s);

// sqrt(sum (r - c)^2 / n).
std::optional<double> rmse(const FloatSums& s);

// sum r c / (|r| |c|), within [-1, 1]; undefined where a side is all zeros.
std::optional<double> cosine(const FloatSums& s);

// |r - c| / |r|; 0 where both are all zeros, undefined where only r is.
std::optional<double> relative_l2(const FloatSums& s);

// 10 log10(sum r^2 / sum (r - c)^2); infinite where all pairs are equal,
// undefined where only r is all zeros.
std::optional<double> sqnr_db(const FloatSums& s);

}  // namespace octavo
