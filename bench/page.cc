#include "bench/page.h"

#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <iterator>

#include "base/cpu.h"
#include "octavo/error.h"

namespace octavo::benchmarks {

void write_page(const std::string& page, const std::string& name,
                const std::string& figures) {
  const std::string begin =
      fmt::format("<!-- {}: make bench writes these -->\n", name);
  const std::string end = fmt::format("<!-- end of {} -->", name);
  std::ifstream in(page);
  const std::string old((std::istreambuf_iterator<char>(in)), {});
  const size_t from = old.find(begin), to = old.find(end);
  if (from == std::string::npos || to == std::string::npos || to < from)
    throw Error(
        ErrorKind::format,
        fmt::format("{}: the marks around its {} are missing.", page, name));
  std::ofstream(page) << old.substr(0, from) << begin << "\n"
                      << figures << "\n"
                      << old.substr(to);
}

std::string circumstances() {
  const CpuInfo cpu = cpu_info();
  const std::time_t now = std::time(nullptr);
  char day[32];
  std::strftime(day, sizeof day, "%Y-%m-%d", std::gmtime(&now));
  std::ifstream in("/proc/loadavg");
  std::string a, b, c;
  in >> a >> b >> c;
  return fmt::format("{}, {}, {} cores; load of the machine: {} {} {}", day,
                     cpu.model, cpu.logical_cores, a, b, c);
}

}  // namespace octavo::benchmarks
