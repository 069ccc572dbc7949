// What stands beside a comparison's numbers: which files, which runtime, and
// the layers where they were measured. Plain data for all renderings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "octavo/layers.h"

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
  std::optional<LayersResult> layers;
};

}  // namespace octavo
