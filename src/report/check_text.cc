#include "report/check_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "report/units.h"

namespace octavo {
namespace {

std::string number_text(double v, bool percent) {
  return percent ? plain_number(100 * v) + " %" : plain_number(v);
}

// The measurement rounded to six digits, to the side on which it passes; ""
// where no bound of this relation would let it.
std::string passing_bound(const Check& c) {
  if (!c.measured || !std::isfinite(*c.measured)) return "";
  const bool up = c.relation == "<=";
  if (!up && c.relation != ">=") return "";
  const double v = c.percent ? 100 * *c.measured : *c.measured;
  double bound = std::strtod(fmt::format("{:.6g}", v).c_str(), nullptr);
  if (up ? bound < v : bound > v) {
    // Half a unit of the sixth digit further, so that rounding ends beyond v.
    const double half =
        5 * std::pow(10.0, std::floor(std::log10(std::abs(v))) - 6);
    bound = std::strtod(fmt::format("{:.6g}", up ? v + half : v - half).c_str(),
                        nullptr);
  }
  return plain_number(bound) + (c.percent ? " %" : "");
}

}  // namespace

std::string check_name(const Check& c) {
  return fmt::format("{} {} {}", c.what, c.relation,
                     number_text(c.limit, c.percent));
}

std::string measured_text(const Check& c) {
  return c.measured ? number_text(*c.measured, c.percent)
                    : std::string("not measured");
}

std::string check_text(const Check& c) {
  std::string text =
      fmt::format("{}: {}, limit {} {}", c.what, measured_text(c), c.relation,
                  number_text(c.limit, c.percent));
  if (!c.detail.empty())
    text += "; " + c.detail;
  else if (!c.ok)
    if (const std::string bound = passing_bound(c); !bound.empty())
      text += fmt::format("; {} {} would pass", c.relation, bound);
  return text;
}

}  // namespace octavo
