#include "report/text_width.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace octavo {
namespace {

struct Range {
  char32_t first, last;
};

// East_Asian_Width W and F of Unicode, neighbours joined where what lies
// between is not assigned.
constexpr Range kWide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},
    {0x23e9, 0x23ec},   {0x23f0, 0x23f0},   {0x23f3, 0x23f3},
    {0x25fd, 0x25fe},   {0x2614, 0x2615},   {0x2648, 0x2653},
    {0x267f, 0x267f},   {0x2693, 0x2693},   {0x26a1, 0x26a1},
    {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},
    {0x26ce, 0x26ce},   {0x26d4, 0x26d4},   {0x26ea, 0x26ea},
    {0x26f2, 0x26f3},   {0x26f5, 0x26f5},   {0x26fa, 0x26fa},
    {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},
    {0x2728, 0x2728},   {0x274c, 0x274c},   {0x274e, 0x274e},
    {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27b0, 0x27b0},   {0x27bf, 0x27bf},   {0x2b1b, 0x2b1c},
    {0x2b50, 0x2b50},   {0x2b55, 0x2b55},   {0x2e80, 0x303e},
    {0x3041, 0x3247},   {0x3250, 0x4dbf},   {0x4e00, 0xa4cf},
    {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe10, 0xfe19},   {0xfe30, 0xfe6b},   {0xff01, 0xff60},
    {0xffe0, 0xffe6},   {0x16fe0, 0x1b2fb}, {0x1f004, 0x1f004},
    {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a},
    {0x1f200, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c},
    {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3},
    {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e},
    {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d},
    {0x1f54b, 0x1f54e}, {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a},
    {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f},
    {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2},
    {0x1f6d5, 0x1f6df}, {0x1f6eb, 0x1f6ef}, {0x1f6f4, 0x1f6fc},
    {0x1f7e0, 0x1f7f0}, {0x1f90c, 0x1f93a}, {0x1f93c, 0x1f945},
    {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

// Combining marks and format characters of the scripts that names are most
// often written in; a rarer mark counts one column, which only misaligns.
constexpr Range kZero[] = {
    {0x0300, 0x036f},   {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a},
    {0x064b, 0x065f},   {0x0670, 0x0670}, {0x06d6, 0x06dd}, {0x093c, 0x093c},
    {0x0941, 0x0948},   {0x094d, 0x094d}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a},
    {0x0e47, 0x0e4e},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},
    {0x202a, 0x202e},   {0x2060, 0x206f}, {0x20d0, 0x20f0}, {0x302a, 0x302d},
    {0x3099, 0x309a},   {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff},
    {0xe0100, 0xe01ef},
};

template <size_t N>
bool in(const Range (&table)[N], char32_t c) {
  const Range* end = table + N;
  const Range* r = std::lower_bound(
      table, end, c, [](const Range& a, char32_t x) { return a.last < x; });
  return r != end && r->first <= c;
}

int width_of(char32_t c) {
  if (c < 0x300) return 1;
  if (in(kZero, c)) return 0;
  return in(kWide, c) ? 2 : 1;
}

// One decoded character: its bytes in the text, its columns, whether it may
// be shown.
struct Char {
  size_t begin, size;
  int width;
  bool ok;
};

// Decodes strictly: no overlong forms, no surrogates, nothing above 0x10ffff;
// a broken byte is one character by itself.
Char next(std::string_view s, size_t i) {
  const auto byte = [&](size_t k) { return static_cast<uint8_t>(s[k]); };
  const uint8_t b = byte(i);
  if (b < 0x80) return {i, 1, 1, b >= 0x20 && b != 0x7f};
  const size_t n = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2;
  if (b < 0xc2 || b > 0xf4 || i + n > s.size()) return {i, 1, 1, false};
  char32_t c = b & (0x7f >> n);
  for (size_t k = 1; k < n; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return {i, 1, 1, false};
    c = c << 6 | (byte(i + k) & 0x3f);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (c < kLeast[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
    return {i, 1, 1, false};
  // C1 controls, and the marks that turn the direction of text around.
  const bool control = c < 0xa0 || (c >= 0x202a && c <= 0x202e) ||
                       (c >= 0x2066 && c <= 0x2069) || c == 0x2028 ||
                       c == 0x2029;
  return {i, n, control ? 1 : width_of(c), !control};
}

std::vector<Char> decode(std::string_view s) {
  std::vector<Char> out;
  for (size_t i = 0; i < s.size(); i += out.back().size)
    out.push_back(next(s, i));
  return out;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const Char c = next(text, i);
    if (c.ok)
      out += text.substr(i, c.size);
    else
      out += '?';
    i += c.size;
  }
  return out;
}

int display_width(std::string_view text) {
  int width = 0;
  for (size_t i = 0; i < text.size();) {
    const Char c = next(text, i);
    width += c.width;
    i += c.size;
  }
  return width;
}

std::string shorten_middle(std::string_view text, int width) {
  if (display_width(text) <= width) return std::string(text);
  constexpr int kDots = 3;
  if (width <= kDots)
    return std::string(static_cast<size_t>(std::max(width, 0)), '.');
  const std::vector<Char> chars = decode(text);
  const int room = width - kDots;
  // The tail tells names of layers apart better than the head: it gets the
  // odd column.
  const int head_room = room / 2;
  size_t head = 0, tail = text.size();
  int used = 0;
  for (const Char& c : chars) {
    if (used + c.width > head_room) break;
    used += c.width;
    head = c.begin + c.size;
  }
  for (size_t k = chars.size(); k-- > 0;) {
    if (used + chars[k].width > room) break;
    used += chars[k].width;
    tail = chars[k].begin;
    // A mark belongs to the character before it: never open with one.
    if (chars[k].width == 0 && k > 0 && used + chars[k - 1].width > room) {
      tail = chars[k].begin + chars[k].size;
      break;
    }
  }
  std::string out(text.substr(0, head));
  out += "...";
  out += text.substr(tail);
  return out;
}

std::string pad_right(std::string_view text, int width) {
  const int gap = std::max(width - display_width(text), 0);
  return std::string(text) + std::string(static_cast<size_t>(gap), ' ');
}

std::string pad_left(std::string_view text, int width) {
  const int gap = std::max(width - display_width(text), 0);
  return std::string(static_cast<size_t>(gap), ' ') + std::string(text);
}

}  // namespace octavo
