#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "octavo/error.h"
#include "report/units.h"

namespace octavo::cli {
namespace {

double seconds_between(std::chrono::steady_clock::time_point a,
                       std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

bool environment_is(const char* name, std::string_view value) {
  const char* found = std::getenv(name);
  return found && found == value;
}

bool environment_has(const char* name) {
  const char* found = std::getenv(name);
  return found && *found;
}

std::string rate_text(double rate) {
  return rate < 100 ? significant(rate, 2) : count_text(std::llround(rate));
}

}  // namespace

TextOptions stdout_text_options() {
  TextOptions options;
  if (!isatty(STDOUT_FILENO)) return options;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    options.width = std::clamp<int>(size.ws_col, 60, 120);
  options.colour =
      !environment_has("NO_COLOR") && !environment_is("TERM", "dumb");
  return options;
}

void print_result(const std::string& text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
      std::fflush(stdout) == 0;
  if (!written)
    throw Error(ErrorKind::io,
                fmt::format("the result cannot be written to the standard "
                            "output: {}",
                            std::strerror(errno)));
}

ProgressLine::ProgressLine()
    : terminal_(isatty(STDERR_FILENO) && !environment_is("TERM", "dumb")),
      begin_(std::chrono::steady_clock::now()),
      last_(begin_) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(const std::string& what, int64_t done, int64_t all,
                        const std::string& things) {
  if (!terminal_ || all <= 0) return;
  const auto now = std::chrono::steady_clock::now();
  const double spent = seconds_between(begin_, now);
  if (spent < 1 || (shown_ && seconds_between(last_, now) < 0.1)) return;
  last_ = now;
  shown_ = true;
  std::string line = fmt::format(
      "{}  {} of {} {}, {}", what, count_text(done), count_text(all), things,
      percent_text(static_cast<double>(done) / static_cast<double>(all), 0));
  if (done > 0)
    line += fmt::format(", {}/s", rate_text(static_cast<double>(done) / spent));
  if (done > 0 && done < all)
    line += fmt::format(", {} left",
                        duration_text(spent * static_cast<double>(all - done) /
                                      static_cast<double>(done)));
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace octavo::cli
