// The runtime's own profile of a session (SessionOptions::profile): how long
// each node took in each run. Its door: `read_profile`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace octavo {

struct KernelTimes {
  std::string name;        // of the node, after all that the runtime did to it
  std::string op;          // "MatMul"
  std::string provider;    // "CPUExecutionProvider"
  std::vector<double> ns;  // one a run: 0 where it did not run; a sum where it
                           // ran more than once, as in a loop's body
};

struct Profile {
  std::vector<KernelTimes> kernels;  // in the order of their first runs
  std::vector<double> run_ns;  // of whole runs, with all that lies between
};

// Reads the file that the runtime wrote once the session is gone. The runtime
// counts whole microseconds. A node that holds bodies (If, Loop) stands there
// with all of its time, and the nodes of its bodies beside it. Throws Error(io)
// or Error(format).
Profile read_profile(const std::filesystem::path& file);

}  // namespace octavo
