// Converts a model of opset 7 to 10 to opset 11, which integer products need:
// operators whose form changed until then are given their new form, with the
// same answers. Where the model has one that cannot be converted surely,
// nothing is changed.
#pragma once

#include <map>
#include <string>

#include "model/data.h"

namespace octavo {

struct Converted {
  // Why the model cannot be converted, a clause such as "its Scan 's' takes
  // batches"; empty where it was.
  std::string obstacle;
  std::map<std::string, int64_t> operators;  // given a new form, by their names
};

// Of opsets 7 to 10 only; all others are an obstacle.
Converted convert_to_opset11(ModelData& model);

}  // namespace octavo
