// What a machine was and did while it was measured: figures mean nothing
// without. Doors: `machine_state` before and after, `machine_use` for what lay
// between, `warnings` for what spoils a measurement. Linux tells all of this;
// elsewhere the optional parts stay empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu.h"
#include "octavo/runtime.h"

namespace octavo {

struct Machine {
  CpuInfo cpu;
  std::string governor;               // "performance"; empty: not told
  std::optional<double> load;         // runnable tasks, mean of a minute
  std::optional<double> quota_cores;  // that a container may use
  std::string build;                  // of octavo: "release", "debug", ...
};

Machine machine();

// Counters since some time past.
struct MachineState {
  std::optional<double> all, busy, stolen;  // seconds of all cores
  double own = 0;                           // of this process
  std::optional<int64_t> hot;               // times that a core was too hot
  std::optional<int64_t> held;              // times that the quota held us
};

MachineState machine_state();

// Shares of the cores' time, and events, between two states.
struct MachineUse {
  std::optional<double> others;  // used by other processes
  std::optional<double> stolen;  // taken by the host of a virtual machine
  std::optional<int64_t> hot, held;
};

MachineUse machine_use(const MachineState& before, const MachineState& after);

// Sentences; none for a machine at rest. `most_threads` of all that was run.
std::vector<std::string> machine_warnings(const Machine& machine,
                                          const MachineUse& use,
                                          const RuntimeInfo& runtime,
                                          int most_threads);

// "Release" out of the runtime's words on its build; empty: not told.
std::string build_type(const RuntimeInfo& runtime);

// Of /proc/stat's first line, in seconds at `ticks` a second.
void read_proc_stat(const std::string& line, double ticks, MachineState& out);

}  // namespace octavo
