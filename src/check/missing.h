// What a runtime lacks that does not load a model, from its own words, and
// which release has it. Its one door is `missing_in`.
#pragma once

#include <string>
#include <string_view>

namespace octavo {

// A clause that goes on after "ONNX Runtime VERSION", such as "has no
// ConvInteger(10) for these types, which 1.24 has for int8 weights" or "knows
// opsets up to 22, and the model has 23, which 1.23 knows"; "" where the words
// speak of something else.
std::string missing_in(std::string_view words);

}  // namespace octavo
