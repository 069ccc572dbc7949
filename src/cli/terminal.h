// What the person sits at: a terminal or not, how wide, with colours or not;
// and a line of progress on it. The only place that asks.
#pragma once

#include <chrono>
#include <string>

#include "report/colour.h"

namespace octavo::cli {

// For a report on stdout: the terminal's width within 60 to 120 columns, 80
// where it is none; colour on a terminal unless NO_COLOR is set or TERM is
// "dumb".
TextOptions stdout_text_options();

// Writes a command's result to stdout, all of it: throws Error(io) where the
// disk is full.
void print_result(const std::string& text);

// One line on stderr that is written over and over, on a terminal only, and
// only once the work has taken a second. Removed at the end.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // "comparing  120 of 397 samples, 30 %, 70/s, 4 s left".
  void show(const std::string& what, int64_t done, int64_t all,
            const std::string& things);
  void clear();

 private:
  using Time = std::chrono::steady_clock::time_point;
  bool terminal_;
  bool shown_ = false;
  Time begin_;
  Time last_;
};

}  // namespace octavo::cli
