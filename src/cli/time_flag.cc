#include "cli/time_flag.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "octavo/error.h"

namespace octavo::cli {

double read_seconds(const std::string& flag, const std::string& text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  const double factor = unit.empty() || unit == "s" ? 1
                        : unit == "ms"              ? 0.001
                        : unit == "m"               ? 60
                        : unit == "h"               ? 3600
                                                    : 0;
  if (error != std::errc() || factor == 0 || !(value >= 0 && value <= 1e6))
    throw Error(ErrorKind::usage,
                fmt::format("{} is '{}'; a time such as 30s, 10m or 2h was "
                            "expected",
                            flag, text));
  return value * factor;
}

}  // namespace octavo::cli
