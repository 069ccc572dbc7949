// The floats of one constant, as they stand in the file: any run of them as
// float32, whatever their type. Threads may read at once.
#pragma once

#include <memory>
#include <vector>

#include "graph/constant.h"

namespace octavo {

// The payload's own shape: the constant's, with the last two dimensions
// swapped back where the constant is seen transposed.
Shape payload_shape(const Constant& constant);

class FloatPayload {
 public:
  FloatPayload(const ModelData& model, const Constant& constant);

  // `buffer` is used where they are no float32 in memory.
  const float* read(uint64_t element, size_t count,
                    std::vector<float>& buffer) const;
  // Gives back the pages of a large mapped payload behind a reader.
  void drop(uint64_t element, uint64_t count) const;
  void release() const;  // all of them

  // Of the payload's last two dimensions; a vector is one column.
  uint64_t rows() const { return rows_; }
  uint64_t cols() const { return cols_; }

 private:
  Bytes payload_;
  std::shared_ptr<const void> owner_;
  bool mapped_ = false;
  DType type_;
  uint64_t rows_ = 1, cols_ = 1;
};

}  // namespace octavo
