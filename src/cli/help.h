// Help texts for an 80-column terminal: CLI11 does not break lines itself in
// every version that the distributions carry.
#pragma once

#include <string>
#include <string_view>

#include "report/wrap.h"

namespace octavo::cli {

// `text` broken for the right-hand column of the help, which begins at 30.
inline std::string help(std::string_view text) {
  std::string out = wrap_text(text, 50);
  while (out.ends_with('\n')) out.pop_back();
  return out;
}

}  // namespace octavo::cli
