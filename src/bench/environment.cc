#include "bench/environment.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace octavo {
namespace {

namespace fs = std::filesystem;

constexpr double kOthersTooBusy = 0.05;
constexpr double kStolenTooMuch = 0.02;

std::string first_line(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string build_kind() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return "sanitizer";
#elif defined(NDEBUG)
  return "release";
#else
  return "debug";
#endif
}

std::optional<double> load_average() {
  double load = 0;
  std::istringstream in(first_line("/proc/loadavg"));
  if (in >> load) return load;
  return std::nullopt;
}

// The second version of control groups, as within a container.
std::optional<double> quota() {
  std::istringstream in(first_line("/sys/fs/cgroup/cpu.max"));
  double most = 0, period = 0;
  if (in >> most >> period && period > 0) return most / period;
  return std::nullopt;
}

std::optional<int64_t> times_held() {
  std::ifstream in("/sys/fs/cgroup/cpu.stat");
  std::string key;
  int64_t value = 0;
  while (in >> key >> value)
    if (key == "nr_throttled") return value;
  return std::nullopt;
}

std::optional<int64_t> times_hot() {
  std::optional<int64_t> sum;
  for (int i = 0;; ++i) {
    const fs::path core =
        fmt::format("/sys/devices/system/cpu/cpu{}/thermal_throttle", i);
    std::error_code ignored;
    if (!fs::exists(core, ignored)) return sum;
    int64_t count = 0;
    std::istringstream in(first_line(core / "core_throttle_count"));
    if (in >> count) sum = sum.value_or(0) + count;
  }
}

double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
}

template <typename T>
std::optional<T> between(const std::optional<T>& a, const std::optional<T>& b) {
  if (!a || !b) return std::nullopt;
  return std::max(T{0}, *b - *a);
}

}  // namespace

void read_proc_stat(const std::string& line, double ticks, MachineState& out) {
  std::istringstream in(line);
  std::string cpu;
  // user nice system idle iowait irq softirq steal; guests are in user.
  double v[8] = {};
  if (!(in >> cpu) || cpu != "cpu") return;
  for (double& x : v)
    if (!(in >> x)) return;
  double all = 0;
  for (const double x : v) all += x;
  out.all = all / ticks;
  out.stolen = v[7] / ticks;
  out.busy = (all - v[3] - v[4] - v[7]) / ticks;
}

Machine machine() {
  Machine out;
  out.cpu = cpu_info();
  out.governor =
      first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  out.load = load_average();
  out.quota_cores = quota();
  out.build = build_kind();
  return out;
}

MachineState machine_state() {
  MachineState out;
  read_proc_stat(first_line("/proc/stat"),
                 static_cast<double>(sysconf(_SC_CLK_TCK)), out);
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage use{};
    getrusage(who, &use);
    out.own += seconds_of(use.ru_utime) + seconds_of(use.ru_stime);
  }
  out.hot = times_hot();
  out.held = times_held();
  return out;
}

MachineUse machine_use(const MachineState& before, const MachineState& after) {
  MachineUse out;
  out.hot = between(before.hot, after.hot);
  out.held = between(before.held, after.held);
  const auto all = between(before.all, after.all);
  if (!all || *all <= 0) return out;
  out.stolen = between(before.stolen, after.stolen).value_or(0) / *all;
  const double busy = between(before.busy, after.busy).value_or(0);
  out.others = std::max(0.0, busy - (after.own - before.own)) / *all;
  return out;
}

std::string build_type(const RuntimeInfo& runtime) {
  constexpr std::string_view kKey = "build type=";
  const size_t at = runtime.build.find(kKey);
  if (at == std::string::npos) return "";
  const size_t begin = at + kKey.size();
  return runtime.build.substr(begin,
                              runtime.build.find_first_of(", ", begin) - begin);
}

std::vector<std::string> machine_warnings(const Machine& m,
                                          const MachineUse& use,
                                          const RuntimeInfo& runtime,
                                          int most_threads) {
  std::vector<std::string> out;
  if (m.build != "release")
    out.push_back(fmt::format(
        "This octavo is a {} build: what it does between the calls is slow.",
        m.build));
  if (build_type(runtime) == "Debug")
    out.push_back(
        "This ONNX Runtime is a debug build: its times say nothing about a "
        "release build's.");
  if (use.others && *use.others > kOthersTooBusy)
    out.push_back(fmt::format(
        "Other programs used {:.0f} % of the cores meanwhile: ratios hold, "
        "times do not.",
        100 * *use.others));
  if (use.stolen && *use.stolen > kStolenTooMuch)
    out.push_back(fmt::format(
        "The host of this virtual machine took {:.0f} % of the cores' time.",
        100 * *use.stolen));
  if (use.hot && *use.hot > 0)
    out.push_back(
        "The cores got too hot and were slowed down: let them cool, or use "
        "fewer threads.");
  if (use.held && *use.held > 0)
    out.push_back(fmt::format(
        "The limit of this container held the process back {} times; use no "
        "more threads than it allows cores.",
        *use.held));
  if (m.governor == "powersave" || m.governor == "ondemand" ||
      m.governor == "conservative")
    out.push_back(fmt::format(
        "The processor's clock follows the load (governor '{}'): short runs "
        "look slower than they are.",
        m.governor));
  if (most_threads > m.cpu.physical_cores)
    out.push_back(fmt::format(
        "{} threads share {} physical core{}: they wait for each other.",
        most_threads, m.cpu.physical_cores,
        m.cpu.physical_cores == 1 ? "" : "s"));
  else if (m.quota_cores && most_threads > *m.quota_cores + 0.01)
    out.push_back(fmt::format(
        "{} threads share the {:.1f} cores that this container may use.",
        most_threads, *m.quota_cores));
  return out;
}

}  // namespace octavo
