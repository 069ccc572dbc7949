// Payloads: bytes that the skeleton names by number. A blob is a view of a
// mapping, a small owned vector, or lazy: its size is known, and any range of
// it is made on demand.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/mapped_file.h"
#include "octavo/tensor.h"

namespace octavo {

class LazyBytes {
 public:
  virtual ~LazyBytes() = default;
  // Makes bytes [begin, begin + out.size()). Pure and thread-safe; `begin` is
  // a multiple of grain(), and so is the length, unless it ends the blob.
  virtual void fill(uint64_t begin, std::span<std::byte> out) const = 0;
  virtual uint64_t grain() const { return 1; }
  // Made elsewhere meanwhile and asked for last, when all else is written.
  virtual bool late() const { return false; }
  // All of the blob has been made: what was read for it may leave memory.
  virtual void release() const {}
};

struct Blob {
  uint64_t size = 0;
  Bytes view;                              // if not lazy
  std::shared_ptr<const LazyBytes> lazy;   // if not null
  std::shared_ptr<const void> keep_alive;  // what the view points into
  const MappedFile* file = nullptr;        // whose mapping the view is part of
};

using BlobTable = std::vector<Blob>;

// A part of a file's mapping; or, where there is none, bytes that the caller
// keeps.
Blob view_blob(Bytes bytes, std::shared_ptr<const MappedFile> file);
Blob owned_blob(std::vector<std::byte> bytes);
Blob lazy_blob(uint64_t size, std::shared_ptr<const LazyBytes> lazy);

// Makes bytes of a blob, whatever it is.
void fill_blob(const Blob& blob, uint64_t begin, std::span<std::byte> out);

}  // namespace octavo
