// A tensor's values as text, in numpy's manner: nested brackets, columns that
// line up, the middle of long axes left out. Its door is `array_text`.
#pragma once

#include <string>

#include "octavo/tensor.h"

namespace octavo {

struct ArrayTextOptions {
  // Arrays of more elements show the first and last three of each axis; 0:
  // every value is shown.
  int64_t threshold = 1000;
  int width = 80;  // of a line, in columns
};

// Lines without a newline at the end. Floats share one number of decimals
// (at most 8), or go to an exponent where that would hide values. Texts are
// quoted and made printable.
std::string array_text(const Tensor& tensor,
                       const ArrayTextOptions& options = {});

}  // namespace octavo
