#include "runtime/byte_source.h"

#include <fmt/format.h>

#include <fstream>
#include <mutex>
#include <system_error>

#include "octavo/error.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

class FileSource : public ByteSource {
 public:
  explicit FileSource(const fs::path& path)
      : name_(fmt::format("'{}'", path.string())),
        size_(check_file(path)),
        file_(path, std::ios::binary) {
    if (!file_)
      throw Error(ErrorKind::io,
                  fmt::format("the file {} cannot be read; check its "
                              "permissions.",
                              name_));
  }

  int64_t size() const override { return size_; }
  const std::string& name() const override { return name_; }

  void read(int64_t offset, std::span<std::byte> out) const override {
    const std::lock_guard lock(mutex_);
    file_.clear();
    file_.seekg(offset);
    file_.read(reinterpret_cast<char*>(out.data()),
               static_cast<std::streamsize>(out.size()));
    if (!file_)
      throw Error(ErrorKind::io,
                  fmt::format("the file {} gave no {} bytes at offset {}; was "
                              "it changed meanwhile?",
                              name_, out.size(), offset));
  }

 private:
  std::string name_;
  int64_t size_;
  mutable std::mutex mutex_;  // guards file_
  mutable std::ifstream file_;
};

}  // namespace

int64_t check_file(const fs::path& path) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (status.type() == fs::file_type::not_found)
    throw Error(ErrorKind::io,
                fmt::format("there is no file '{}'.", path.string()));
  if (failed)
    throw Error(ErrorKind::io, fmt::format("the file '{}' cannot be read: {}.",
                                           path.string(), failed.message()));
  if (!fs::is_regular_file(status))
    throw Error(
        ErrorKind::io,
        fmt::format(
            "'{}' is {}, where a file was expected.", path.string(),
            fs::is_directory(status) ? "a folder" : "not a plain file"));
  const auto size = fs::file_size(path, failed);
  if (failed)
    throw Error(ErrorKind::io, fmt::format("the file '{}' cannot be read: {}.",
                                           path.string(), failed.message()));
  return static_cast<int64_t>(size);
}

std::unique_ptr<ByteSource> open_file_source(const fs::path& path) {
  return std::make_unique<FileSource>(path);
}

}  // namespace octavo
