// A report that is written beside what the command prints: made ready before
// anything is measured, so that a folder that does not take it is known at
// once, and never over a file that is something else.
#pragma once

#include <optional>
#include <string>

#include "model/output_file.h"

namespace octavo::cli {

// What an earlier report of a kind looks like.
struct ReportKind {
  const char* flag;   // "--html"
  const char* name;   // "HTML page"
  const char* start;  // its first bytes, in lower case
};

class ReportFile {
 public:
  // "": none is wanted. Throws Error where `path` cannot be written, or holds
  // something else: models and samples are not to be lost by a slip.
  ReportFile(const std::string& path, const ReportKind& kind);

  bool wanted() const { return file_.has_value(); }
  void write(const std::string& text);

 private:
  std::optional<OutputFile> file_;
};

}  // namespace octavo::cli
