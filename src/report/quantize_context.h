// What was quantized, and what its numbers do not know of themselves.
#pragma once

#include <string>

#include "octavo/quantize.h"

namespace octavo {

struct QuantizeContext {
  std::string input;   // paths as the user gave them
  std::string output;  // empty: nothing was written
  QuantizeResult result;
  bool dry_run = false;
  double seconds = 0;
  // The self-check in words: "loads on ONNX Runtime 1.30.0", or why it was
  // not made.
  std::string check;
  bool checked = false;
  bool vnni = false;  // this machine's processor has it
};

}  // namespace octavo
