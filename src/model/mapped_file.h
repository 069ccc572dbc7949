// A file's bytes, mapped read-only. Pages that were read are given back to the
// system on request, so that a large model never fills the memory.
#pragma once

#include <filesystem>
#include <memory>

#include "octavo/tensor.h"

namespace octavo {

class MappedFile {
 public:
  // Throws Error(io) with a sentence for a file that is missing, no file, not
  // readable or empty.
  static std::shared_ptr<const MappedFile> open(
      const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  Bytes bytes() const { return bytes_; }
  // The same bytes copied by the system, for one who reads all of them once:
  // no pages come and go. Throws Error(io).
  void read(uint64_t offset, std::span<std::byte> out) const;

  // For the system's calls: the file, and where a part of bytes() is in it.
  int descriptor() const { return fd_; }
  uint64_t offset_of(Bytes part) const {
    return static_cast<uint64_t>(part.data() - bytes_.data());
  }

 private:
  MappedFile() = default;
  Bytes bytes_;
  int fd_ = -1;
  std::filesystem::path path_;
};

// Gives back the pages that lie wholly inside `bytes`, which must be part of a
// mapping (never of the heap); they are read again when touched again.
void drop_pages(Bytes bytes) noexcept;

}  // namespace octavo
