#include "base/pattern.h"

#include <fmt/format.h>

#include "octavo/error.h"

namespace octavo {
namespace {

// Linear in practice and never worse than name x pattern: after a '*' only the
// last one is ever gone back to.
bool glob(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0;
  size_t star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

NamePattern::NamePattern(std::string text) : text_(std::move(text)) {
  // A path such as "/encoder/fc" is a name; a regular expression ends on '/'.
  if (text_.size() < 3 || !text_.starts_with("/") || !text_.ends_with("/"))
    return;
  try {
    regex_ =
        std::make_shared<const std::regex>(text_.substr(1, text_.size() - 2));
  } catch (const std::regex_error& e) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{} is no regular expression: {}.", text_, e.what()));
  }
}

bool NamePattern::matches(std::string_view name) const {
  if (!regex_) return glob(text_, name);
  return std::regex_search(name.begin(), name.end(), *regex_);
}

}  // namespace octavo
