#include "tune/trial.h"

#include <fmt/format.h>

#include <limits>

#include "base/names.h"
#include "octavo/error.h"

namespace octavo {

double badness_of(const CompareResult& result, const std::string& by) {
  std::vector<std::string> names = {"error"};
  for (const Measurement& m : measurements(result)) {
    names.push_back(m.name);
    if (m.name != by) continue;
    if (m.nothing_differs) return -std::numeric_limits<double>::infinity();
    if (!m.value || !m.fault.empty())
      return std::numeric_limits<double>::infinity();
    const bool high_is_good =
        m.scale == Scale::one || m.scale == Scale::decibel;
    return high_is_good ? -*m.value : *m.value;
  }
  const std::string hint = did_you_mean(by, names);
  throw Error(
      ErrorKind::usage,
      fmt::format("nothing that was measured is named '{}'; {}", by,
                  hint.empty() ? "there are " + name_list(names) + "." : hint));
}

}  // namespace octavo
