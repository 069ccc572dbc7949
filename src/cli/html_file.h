// --html FILE: the report as a page, its file made ready before anything is
// measured, so that a folder that does not take it is known at once.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/report_file.h"
#include "report/html_report.h"
#include "report/trial.h"

namespace octavo::cli {

void add_html_option(CLI::App& app, std::string& path);

class HtmlFile {
 public:
  // "": none is wanted. Throws Error where `path` cannot be written, or holds
  // something else than a page: models and samples are not to be lost.
  explicit HtmlFile(const std::string& path);

  bool wanted() const { return file_.wanted(); }
  void write(const HtmlReport& report);

 private:
  ReportFile file_;
};

// The command again as a shell reads it, from what was parsed.
std::string typed(const CLI::App& command);

// Sizes and nodes are read from the model files; where a file is no ONNX model
// that Octavo reads, the report goes without them.
HtmlReport compared_report(const CompareResult& result,
                           const CompareContext& context,
                           const std::string& command);
HtmlReport trial_report(const TrialReport& trial, const std::string& command);

}  // namespace octavo::cli
