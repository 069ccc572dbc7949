// A model file, with the data beside it, that goes when this does.
#pragma once

#include <filesystem>
#include <system_error>
#include <utility>

namespace octavo {

class TemporaryModel {
 public:
  explicit TemporaryModel(std::filesystem::path path)
      : path_(std::move(path)) {}
  ~TemporaryModel() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    std::filesystem::remove(path_.string() + ".data", ignored);
  }
  TemporaryModel(const TemporaryModel&) = delete;
  TemporaryModel& operator=(const TemporaryModel&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace octavo
