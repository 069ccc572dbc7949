// Whole processes timed in turns: what else the machine does falls on all of
// them alike. Its door: `contest`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace octavo::benchmarks {

struct Contender {
  std::string name;
  std::vector<std::string> command;
  int rounds = 0;  // at most so many; 0: all
};

struct Timing {
  std::string name;
  std::vector<double> seconds;      // wall time, one a round
  std::vector<double> cpu_seconds;  // of all threads, likewise
  double peak_mib = 0;              // most resident memory, as the kernel says
};

// Runs each contender once for the page cache, then `rounds` times, in a new
// order each round. What they print is dropped. Throws Error(usage) where one
// of them fails. The caller must be a small process: the kernel counts its
// memory as its child's until the child's program begins.
std::vector<Timing> contest(const std::vector<Contender>& contenders,
                            int rounds, uint64_t seed);

// Whether the command runs and succeeds.
bool succeeds(const std::vector<std::string>& command);

}  // namespace octavo::benchmarks
