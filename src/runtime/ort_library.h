// Finding and loading ONNX Runtime's library. Its one door is
// `load_ort_library`. The only place of the library that reads the environment
// (OCTAVO_RUNTIME).
#pragma once

#include <filesystem>
#include <string>

#include "runtime/ort_api.h"

namespace octavo {

struct OrtLibrary {
  const OrtApi* api = nullptr;
  std::filesystem::path path;  // of the file that was loaded
  std::string found_by;        // "--runtime", "OCTAVO_RUNTIME", "build",
                               // "system"
  std::string version;         // "1.30.0"
  int api_version = 0;
};

// `named`: a library, or a folder with one in it or in its lib/; empty: look
// for one (octavo/runtime.h says where). Throws Error(runtime).
OrtLibrary load_ort_library(const std::filesystem::path& named);

}  // namespace octavo
