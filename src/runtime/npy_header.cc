#include "runtime/npy_header.h"

#include <charconv>
#include <cstdint>
#include <utility>

namespace octavo {
namespace {

constexpr size_t kMaxRank = 64;  // numpy's own limit

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  bool dict(NpyDict& out) {
    bool descr = false, order = false, shape = false;
    if (!eat('{')) return fail("it has no dict");
    while (!eat('}')) {
      std::string key;
      if (!string(key) || !eat(':')) return fail("its dict cannot be read");
      if (key == "descr") {
        if (!string(out.descr) && !structured(out.descr))
          return fail("its 'descr' cannot be read");
        descr = true;
      } else if (key == "fortran_order") {
        if (!boolean(out.fortran_order))
          return fail("its 'fortran_order' is neither True nor False");
        order = true;
      } else if (key == "shape") {
        if (!tuple(out.shape))
          return fail("its 'shape' is no tuple of at most 64 sizes");
        shape = true;
      } else {
        return fail("it has the unknown key '" + key.substr(0, 40) + "'");
      }
      if (eat(',')) continue;
      if (!eat('}')) return fail("its dict does not end");
      break;
    }
    skip();
    if (at_ != text_.size()) return fail("something follows its dict");
    if (!descr || !order || !shape)
      return fail("it lacks 'descr', 'fortran_order' or 'shape'");
    return true;
  }

  std::string why;

 private:
  bool fail(std::string reason) {
    why = std::move(reason);
    return false;
  }

  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' ||
                                  text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }

  bool eat(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool string(std::string& out) {
    skip();
    if (at_ < text_.size() && text_[at_] == 'u') ++at_;  // Python 2
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"'))
      return false;
    const size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return false;
    out = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }

  // A list of fields; only its extent matters, for it is refused later.
  bool structured(std::string& out) {
    skip();
    const size_t begin = at_;
    if (at_ >= text_.size() || (text_[at_] != '[' && text_[at_] != '('))
      return false;
    int64_t depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '[' || c == '(') ++depth;
      if ((c == ']' || c == ')') && --depth == 0) {
        out = "[" + std::string(text_.substr(begin, ++at_ - begin));
        return true;
      }
    }
    return false;
  }

  bool boolean(bool& out) {
    skip();
    for (const auto& [word, value] :
         {std::pair<std::string_view, bool>{"True", true}, {"False", false}})
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        out = value;
        return true;
      }
    return false;
  }

  bool tuple(std::vector<int64_t>& out) {
    out.clear();
    if (!eat('(')) return false;
    while (!eat(')')) {
      skip();
      int64_t value = 0;
      const char* begin = text_.data() + at_;
      const auto parsed =
          std::from_chars(begin, text_.data() + text_.size(), value);
      if (parsed.ec != std::errc() || value < 0 || out.size() >= kMaxRank)
        return false;
      at_ += static_cast<size_t>(parsed.ptr - begin);
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2
      out.push_back(value);
      if (eat(',')) continue;
      return eat(')');
    }
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::optional<NpyDict> parse_npy_dict(std::string_view text, std::string& why) {
  NpyDict out;
  Parser parser(text);
  if (parser.dict(out)) return out;
  why = parser.why;
  return std::nullopt;
}

}  // namespace octavo
