#include "bench/contest.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/random.h"
#include "octavo/error.h"

namespace octavo::benchmarks {
namespace {

struct Run {
  int status = -1;
  double seconds = 0, cpu_seconds = 0, peak_mib = 0;
};

double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

Run run(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const auto& word : command)
    argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child < 0) throw Error(ErrorKind::io, "no process can be started.");
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int fd : {0, 1, 2}) ::dup2(nowhere, fd);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  Run r;
  rusage usage{};
  ::wait4(child, &r.status, 0, &usage);
  r.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  r.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  r.peak_mib = static_cast<double>(usage.ru_maxrss) / 1024;
  return r;
}

}  // namespace

bool succeeds(const std::vector<std::string>& command) {
  return run(command).status == 0;
}

std::vector<Timing> contest(const std::vector<Contender>& contenders,
                            int rounds, uint64_t seed) {
  std::vector<Timing> out;
  for (const auto& c : contenders) out.push_back({c.name, {}, {}, 0});
  std::vector<size_t> order(contenders.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  Random random(seed);
  for (int round = 0; round <= rounds; ++round) {
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[random.below(i)]);
    for (const size_t i : order) {
      const Contender& c = contenders[i];
      if (c.rounds > 0 && (round == 0 || round > c.rounds)) continue;
      const Run r = run(c.command);
      if (r.status != 0)
        throw Error(ErrorKind::usage,
                    fmt::format("'{}' failed; run it by hand to see why.",
                                fmt::join(c.command, " ")));
      if (round == 0) continue;
      out[i].seconds.push_back(r.seconds);
      out[i].cpu_seconds.push_back(r.cpu_seconds);
      out[i].peak_mib = std::max(out[i].peak_mib, r.peak_mib);
    }
  }
  return out;
}

}  // namespace octavo::benchmarks
