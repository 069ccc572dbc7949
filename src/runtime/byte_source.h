// Bytes that can be read at any offset: a file here, a member of an archive in
// npz.h. What arrays are read from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "octavo/tensor.h"

namespace octavo {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Total bytes. True for a file; only claimed by an archive's member.
  virtual int64_t size() const = 0;
  // Fills `out` from `offset`; offset + out.size() <= size(). Fit for several
  // threads at once. Throws Error(io) or Error(format).
  virtual void read(int64_t offset, std::span<std::byte> out) const = 0;
  // "'x.npy'", "'y' of 'x.npz'", for messages.
  virtual const std::string& name() const = 0;
};

// Throws Error(io) where `path` cannot be opened or is not a file.
std::unique_ptr<ByteSource> open_file_source(const std::filesystem::path& path);

// Throws Error(io) where there is no regular file that can be read; returns
// its size in bytes.
int64_t check_file(const std::filesystem::path& path);

}  // namespace octavo
