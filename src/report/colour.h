// The few colours of the terminal reports, or none.
#pragma once

#include <string>
#include <string_view>

namespace octavo {

// How a text report is laid out. Whoever prints knows the terminal.
struct TextOptions {
  int width = 80;
  bool colour = false;
};

class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  std::string good(std::string_view s) const { return in("32;1", s); }
  std::string bad(std::string_view s) const { return in("31;1", s); }
  std::string strong(std::string_view s) const { return in("1", s); }
  std::string weak(std::string_view s) const { return in("2", s); }

 private:
  std::string in(const char* code, std::string_view s) const {
    if (!on_ || s.empty()) return std::string(s);
    // Before the line's end, so that no colour leaks into the next one.
    const size_t end = s.find_last_not_of('\n') + 1;
    return std::string("\x1b[") + code + "m" + std::string(s.substr(0, end)) +
           "\x1b[0m" + std::string(s.substr(end));
  }
  bool on_;
};

}  // namespace octavo
