// Sentences broken into lines at spaces. Lines count terminal columns.
#pragma once

#include <string>
#include <string_view>

namespace octavo {

// Lines of at most `width` columns (0: one line), the first after `first`,
// the others after as many spaces; a longer word stands alone. Ends with a
// newline. Text is made printable.
std::string wrap_text(std::string_view text, int width,
                      std::string_view first = "");

}  // namespace octavo
