// An .npz that grows: arrays whose leading axis is as long as what was added,
// kept on disk and never in memory. Its door: NpzSpool.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "octavo/tensor.h"

namespace octavo {

class NpzSpool {
 public:
  // Keeps its files in `folder`, which must be there and stays.
  explicit NpzSpool(std::filesystem::path folder);
  ~NpzSpool();
  NpzSpool(NpzSpool&&) noexcept;

  // Appends the rows of `tensor` to the array `name`. Types that numpy lacks
  // are widened without loss. Throws Error(usage) for a scalar, and for rows
  // of another type or shape than before; Error(unsupported) for strings;
  // Error(io) where the disk is full.
  void append(const std::string& name, const Tensor& tensor);
  bool empty() const { return arrays_.empty(); }

  // Writes all arrays to `path` and removes its own files; nothing may
  // follow. Throws Error(io).
  void write(const std::filesystem::path& path);

 private:
  struct Array;
  // The one of that name, or a new one for rows such as `first`'s.
  Array& array_of(const std::string& name, const Tensor& first);

  std::filesystem::path folder_;
  std::vector<std::unique_ptr<Array>> arrays_;
};

}  // namespace octavo
