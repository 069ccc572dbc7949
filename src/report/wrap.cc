#include "report/wrap.h"

#include "report/text_width.h"

namespace octavo {

std::string wrap_text(std::string_view text, int width,
                      std::string_view first) {
  const std::string clean = printable(text);
  const int indent = display_width(first);
  std::string out(first);
  int used = indent;
  bool fresh = true;  // nothing on this line yet
  for (size_t begin = 0; begin < clean.size();) {
    size_t end = clean.find(' ', begin);
    if (end == std::string::npos) end = clean.size();
    const std::string_view word(clean.data() + begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    const int size = display_width(word);
    if (!fresh && width > 0 && used + 1 + size > width) {
      out += '\n';
      out.append(static_cast<size_t>(indent), ' ');
      used = indent;
      fresh = true;
    }
    if (!fresh) {
      out += ' ';
      ++used;
    }
    out += word;
    used += size;
    fresh = false;
  }
  out += '\n';
  return out;
}

}  // namespace octavo
