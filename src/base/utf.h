// UTF-8 to and from code points, strictly: no surrogates, nothing beyond
// U+10FFFF, no overlong forms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace octavo {

// Appends one code point as UTF-8; false (and nothing appended) for a number
// that is none.
bool append_utf8(uint32_t code_point, std::string& out);

// The code points of a text; empty optional where it is not UTF-8.
std::optional<std::vector<uint32_t>> utf8_code_points(std::string_view text);

}  // namespace octavo
