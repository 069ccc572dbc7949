// Names picked by a pattern, as a person types it: a glob, where '*' stands for
// any text and '?' for one character, or /a regular expression/ (ECMAScript)
// that may match anywhere in the name.
#pragma once

#include <memory>
#include <regex>
#include <string>
#include <string_view>

namespace octavo {

class NamePattern {
 public:
  // Throws Error(usage) for a regular expression that is none.
  explicit NamePattern(std::string text);
  bool matches(std::string_view name) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::shared_ptr<const std::regex> regex_;  // null: a glob
};

}  // namespace octavo
