// How many terminal columns UTF-8 text takes, and text made to fit. Names in
// models are other people's bytes: what cannot be shown (control characters,
// escape sequences, broken UTF-8) becomes '?', so that no model can write to
// the user's terminal anything but text.
#pragma once

#include <string>
#include <string_view>

namespace octavo {

// Printable UTF-8: every control character and every broken byte is '?'.
std::string printable(std::string_view text);

// Columns of printable text: 0 for combining marks and format characters, 2
// for East Asian wide and full-width characters and emoji (Unicode Standard
// Annex 11), 1 for the rest.
int display_width(std::string_view text);

// `text` itself where it fits; else its head and tail around "..." so that it
// takes at most `width` columns. Under 4 columns: only as many dots.
std::string shorten_middle(std::string_view text, int width);

// `text` with spaces up to `width` columns; never shortened.
std::string pad_right(std::string_view text, int width);
std::string pad_left(std::string_view text, int width);

}  // namespace octavo
