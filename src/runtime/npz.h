// numpy's .npz: a zip archive of .npy members, stored or deflated. Doors:
// `NpzFile` to read, `write_npz` to write.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "octavo/tensor.h"
#include "runtime/byte_source.h"

namespace octavo {

class NpzFile {
 public:
  // Throws Error(io) or Error(format) where `path` is no zip archive.
  explicit NpzFile(const std::filesystem::path& path);
  ~NpzFile();
  NpzFile(NpzFile&&) noexcept;
  NpzFile& operator=(NpzFile&&) = delete;

  // The arrays' names, without ".npy", in the archive's order.
  const std::vector<std::string>& keys() const;
  bool has(const std::string& key) const;

  // Opens a member; reads nothing yet. A stored member is read at any offset,
  // a deflated one forward (going back starts it again); neither is held in
  // memory. The source keeps the archive open. Throws Error(usage) with the
  // nearest names for a key that is none, Error(format) for a member whose
  // claimed size its compressed bytes cannot hold.
  std::unique_ptr<ByteSource> open(const std::string& key) const;

 private:
  struct Archive;
  std::shared_ptr<Archive> archive_;
};

// Writes arrays as stored members, through a temporary file beside `path`
// that is renamed at the end and removed on failure. An existing file is
// replaced. Throws Error(io).
void write_npz(const std::filesystem::path& path,
               std::span<const std::pair<std::string, Tensor>> arrays);

}  // namespace octavo
