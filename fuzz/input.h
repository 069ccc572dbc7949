// What all targets share: an Error is a right answer; some readers want a file.
#pragma once

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "octavo/error.h"
#include "octavo/tensor.h"

namespace octavo::fuzz {

template <typename Try>
void expect_error_or_nothing(const Try& attempt) {
  try {
    attempt();
  } catch (const Error&) {
  }
}

// Bytes as a file in memory.
class MemoryFile {
 public:
  MemoryFile(const uint8_t* data, size_t size) : fd_(memfd_create("input", 0)) {
    size_t done = 0;
    while (done < size) {
      const ssize_t n = write(fd_, data + done, size - done);
      if (n <= 0) break;
      done += static_cast<size_t>(n);
    }
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const {
    return fmt::format("/proc/self/fd/{}", fd_);
  }

 private:
  int fd_;
};

inline Bytes bytes_of(const uint8_t* data, size_t size) {
  return std::as_bytes(std::span(data, size));
}

}  // namespace octavo::fuzz
