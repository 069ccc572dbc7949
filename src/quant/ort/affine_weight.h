// One float32 constant as uint8 with zero points, as ONNX Runtime's
// quantize_dynamic makes it (quant_utils.py, compute_scale_zp): the range
// widened to hold 0, scale = (max - min) / (qmax) in float64, zero point =
// round(-min / scale) half to even, q = clip(round(w / scale) + zero point).
// A scale that is no normal float32 becomes 1, with zero point 0.
#pragma once

#include <mutex>
#include <vector>

#include "graph/constant.h"
#include "model/blob.h"
#include "octavo/plan.h"
#include "quant/weight.h"

namespace octavo::ort {

class AffineWeight : public Applied::Watch,
                     public std::enable_shared_from_this<AffineWeight> {
 public:
  // One scale for each column of the constant as its user sees it, or one for
  // all. `qmax`: 255, or 127 with a reduced range. The width of the range is
  // taken in float32, or, `wide`, in float64.
  AffineWeight(const ModelData& model, const Constant& constant, bool columns,
               int qmax, bool wide);

  Blob values();       // in the order that the constant's user sees
  Blob scales();       // float32
  Blob zero_points();  // uint8

 private:
  class Part;
  struct Group {
    float scale = 1;
    uint8_t zero_point = 0;
  };
  const std::vector<Group>& groups() const;
  void compute_groups() const;
  float at(uint64_t element) const;  // of the order that is seen
  uint64_t group_of(uint64_t element) const;

  std::shared_ptr<const void> owner_;
  Bytes payload_;
  bool transposed_;
  bool columns_;
  int qmax_;
  bool wide_;
  uint64_t rows_ = 1, cols_ = 1;  // as seen; all matrices' rows together

  mutable std::once_flag once_;
  mutable std::vector<Group> groups_;
};

}  // namespace octavo::ort
