// What a comparison's numbers do not know of themselves: which files, which
// runtime. Plain data for both renderings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace octavo {

struct CompareContext {
  std::string original;  // path as the user gave it
  std::string copy;
  uint64_t original_bytes = 0;  // 0: not known
  uint64_t copy_bytes = 0;
  std::string runtime_version;  // "1.30.0"; empty: not known
  std::string runtime_library;
  std::vector<std::string> providers;  // those asked for
  int threads = 0;                     // 0: not known
};

}  // namespace octavo
