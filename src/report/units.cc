#include "report/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace octavo {

std::string bytes_text(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  // 1023.95 would print as "1024.0": the next unit says it better.
  while (value >= 1023.95 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string count_text(int64_t count) {
  std::string digits = fmt::format("{}", count);
  const size_t first = count < 0 ? 1 : 0;
  for (size_t end = digits.size(); end > first + 3; end -= 3)
    digits.insert(end - 3, 1, ',');
  return digits;
}

std::string count_noun(int64_t count, const std::string& singular,
                       const std::string& plural) {
  const std::string& many = plural.empty() ? singular + "s" : plural;
  return fmt::format("{} {}", count_text(count), count == 1 ? singular : many);
}

std::string significant(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-infinity" : "infinity";
  if (value == 0) return "0";
  // The exponent after rounding: 9.999 to 3 digits is 10.0, not 10.00.
  const std::string rounded = fmt::format("{:.{}e}", value, digits - 1);
  const int exponent = std::stoi(rounded.substr(rounded.find('e') + 1));
  if (exponent < -4 || exponent >= 6) return rounded;
  return fmt::format("{:.{}f}", value, std::max(digits - 1 - exponent, 0));
}

std::string plain_number(double value, int digits) {
  if (!std::isfinite(value) || value == 0) return significant(value);
  return fmt::format("{:.{}g}", value, digits);
}

std::string percent_text(double share, int decimals) {
  if (std::isnan(share)) return "NaN";
  const double least = std::pow(10.0, -decimals);
  const double percent = share * 100;
  if (share > 0 && percent < least / 2)
    return fmt::format("< {:.{}f} %", least, decimals);
  if (share < 1 && percent > 100 - least / 2)
    return fmt::format("> {:.{}f} %", 100 - least, decimals);
  return fmt::format("{:.{}f} %", percent, decimals);
}

std::string ratio_text(double ratio) {
  if (!std::isfinite(ratio)) return significant(ratio);
  const double size = std::abs(ratio);
  // 9.995 would print as "10.00", 99.95 as "100.0".
  const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} x", ratio, decimals);
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return significant(seconds);
  const double size = std::abs(seconds);
  // The limits are where three digits would carry into the next unit.
  if (size == 0) return "0 s";
  if (size < 999.5e-9) return significant(seconds * 1e9) + " ns";
  if (size < 999.5e-6) return significant(seconds * 1e6) + " us";
  if (size < 999.5e-3) return significant(seconds * 1e3) + " ms";
  if (size < 59.95) return significant(seconds) + " s";
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (size < 3599.5)
    return fmt::format("{} min {:02} s", whole / 60, std::abs(whole % 60));
  return fmt::format("{} h {:02} min", whole / 3600,
                     std::abs(whole % 3600 / 60));
}

std::string cosine_text(double cosine) {
  if (std::isnan(cosine)) return "undefined";
  const double gap = 1 - cosine;
  if (gap < 1e-12) return "1";
  const int decimals =
      std::clamp(static_cast<int>(std::ceil(-std::log10(gap))) + 1, 4, 12);
  return fmt::format("{:.{}f}", cosine, decimals);
}

std::string points_text(double difference) {
  if (!std::isfinite(difference)) return significant(difference);
  if (difference == 0) return "0 points";
  const double points = difference * 100;
  if (std::abs(points) < 0.005)
    return (points > 0 ? "+" : "") + significant(points, 1) + " points";
  return fmt::format("{:+.2f} points", points);
}

}  // namespace octavo
