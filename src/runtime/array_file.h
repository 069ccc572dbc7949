// One array in a file, of whatever format: its type and shape now, its data
// later. Doors: `open_arrays` and ArrayFile.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "octavo/tensor.h"
#include "runtime/byte_source.h"
#include "runtime/npy.h"

namespace octavo {

class ArrayFile {
 public:
  ArrayFile(std::string key, std::unique_ptr<ByteSource> source);  // .npy
  ArrayFile(std::string key, std::string where, Tensor tensor);

  // Key in an .npz, name inside a TensorProto; empty for .npy.
  const std::string& key() const { return key_; }
  // "'x' of 'f.npz'", for messages.
  const std::string& where() const { return where_; }
  DType type() const { return header_.type; }
  const Shape& shape() const { return header_.shape; }

  Tensor all() const;
  // Rows of the leading axis, which must be there. Call `hold` before.
  Tensor rows(int64_t first, int64_t count) const;
  // Reads what cannot be read in slices: an array in Fortran order.
  void hold();

 private:
  std::string key_;
  std::string where_;
  std::unique_ptr<ByteSource> source_;
  NpyHeader header_;
  std::optional<Tensor> held_;
};

enum class ArrayFormat { npy, npz, pb };

// By content, then by extension. Throws Error(io), and Error(format) for a
// file that is none of the three.
ArrayFormat array_format(const std::filesystem::path& path);

// The arrays of a file: one for .npy and .pb, every one whose key `wanted`
// (all where it is empty) names for .npz; the others are not opened.
std::vector<ArrayFile> open_arrays(const std::filesystem::path& path,
                                   const std::vector<std::string>& wanted = {});

}  // namespace octavo
