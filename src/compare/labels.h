// Right answers, one or more for each sample, as the metrics read them.
#pragma once

#include <string>

#include "octavo/tensor.h"

namespace octavo {

class Labels {
 public:
  // The leading axis counts samples. Throws Error(usage) for a scalar and for
  // element types that are no label: complex, 8- and 4-bit floats.
  explicit Labels(const Tensor& tensor);

  int64_t samples() const { return samples_; }
  int64_t width() const { return width_; }  // labels of one sample
  // Names of classes, not numbers.
  bool text() const { return tensor_.type == DType::string; }
  // Every one is a whole number: classes or tokens.
  bool whole() const { return whole_; }

  // For whole() ones; `at` counts within the sample.
  int64_t integer(int64_t sample, int64_t at = 0) const;
  // Not for text().
  double number(int64_t sample, int64_t at = 0) const;
  // As text, whatever they are.
  std::string name(int64_t sample) const;

 private:
  const Tensor& tensor_;
  int64_t samples_ = 0;
  int64_t width_ = 1;
  bool whole_ = false;
};

}  // namespace octavo
