// The text inside a .npy header: a Python dict with three keys. Private to
// npy.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace octavo {

struct NpyDict {
  std::string descr;  // "<f4"; for a structured dtype its text, with a '['
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// Empty where the text is no such dict; `why` then says what is wrong, as the
// end of a sentence.
std::optional<NpyDict> parse_npy_dict(std::string_view text, std::string& why);

}  // namespace octavo
