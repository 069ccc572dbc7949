#include "base/stderr_filter.h"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace octavo {
namespace {

// Holds standard error back until destroyed; then passes on what may pass.
class Holder {
 public:
  explicit Holder(const std::function<bool(std::string_view)>& drop)
      : drop_(drop) {
    std::fflush(stderr);
    file_ = std::tmpfile();
    if (file_ == nullptr) return;
    saved_ = dup(STDERR_FILENO);
    if (saved_ >= 0 && dup2(fileno(file_), STDERR_FILENO) < 0) {
      close(saved_);
      saved_ = -1;
    }
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  ~Holder() {
    if (file_ == nullptr) return;
    if (saved_ >= 0) {
      std::fflush(stderr);
      dup2(saved_, STDERR_FILENO);
      close(saved_);
      pass_on();
    }
    std::fclose(file_);
  }

 private:
  void pass_on() {
    std::rewind(file_);
    std::string line;
    for (int c = 0; (c = std::fgetc(file_)) != EOF;) {
      line += static_cast<char>(c);
      if (c == '\n') end_line(line);
    }
    end_line(line);
  }

  void end_line(std::string& line) {
    std::string_view text = line;
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (!line.empty() && !drop_(text))
      std::fwrite(line.data(), 1, line.size(), stderr);
    line.clear();
  }

  const std::function<bool(std::string_view)>& drop_;
  std::FILE* file_ = nullptr;
  int saved_ = -1;
};

}  // namespace

void filter_stderr(const std::function<void()>& work,
                   const std::function<bool(std::string_view)>& drop) {
  const Holder holder(drop);
  work();
}

}  // namespace octavo
