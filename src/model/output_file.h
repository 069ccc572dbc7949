// A file that appears whole or not at all: written under a temporary name in
// the target's folder, then renamed. Whatever stood under the target's name
// stays until that rename.
#pragma once

#include <atomic>
#include <filesystem>
#include <span>

#include "model/mapped_file.h"
#include "octavo/tensor.h"

namespace octavo {

class OutputFile {
 public:
  // Creates the temporary file and reserves `size` bytes on the disk. Removes
  // temporary files of the same target whose writers were killed. Throws
  // Error(io) with a sentence: no folder, no permission, no room.
  OutputFile(const std::filesystem::path& target, uint64_t size);
  // Removes the temporary file unless it was committed.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // May be called from several threads for different ranges.
  void write(uint64_t offset, Bytes bytes);
  // The same for a part of a mapped file, which the system copies by itself,
  // or shares, where it can.
  void copy(uint64_t offset, const MappedFile& from, Bytes bytes);
  // Lets the disk begin with what is written so far.
  void start_sync() noexcept;
  // To the disk, where `sync`; then the rename. Nothing may follow.
  void commit(bool sync);

  const std::filesystem::path& temporary() const { return temporary_; }

 private:
  std::filesystem::path target_, temporary_;
  int fd_ = -1;
  std::atomic<bool> system_copies_ = true;  // until it says that it does not
};

}  // namespace octavo
