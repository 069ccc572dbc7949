// A folder of our own under TMPDIR that goes with all that is in it.
#pragma once

#include <filesystem>

namespace octavo::cli {

class Scratch {
 public:
  // Throws Error(io) where none can be made.
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace octavo::cli
