// A folder for one test, removed with all that is in it.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace octavo::testing {

class TempFolder {
 public:
  TempFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "octavo-test-XXXXXX")
            .string();
    path_ = mkdtemp(name.data());
  }
  ~TempFolder() {
    std::error_code ec;
    std::filesystem::remove_all(path_, ec);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline void write_file(const std::filesystem::path& path,
                       const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Files in a folder, hidden ones too.
inline size_t count_files(const std::filesystem::path& folder) {
  return static_cast<size_t>(
      std::distance(std::filesystem::directory_iterator(folder),
                    std::filesystem::directory_iterator()));
}

}  // namespace octavo::testing
