#include "cli/html_file.h"

#include "cli/help.h"
#include "octavo/error.h"

namespace octavo::cli {
namespace {

constexpr ReportKind kPage{"--html", "HTML page", "<!doctype html"};

// What the graphs tell, for models that Octavo reads.
struct Graphs {
  std::optional<Inspection> before, after;
  std::vector<Change> changes;
  Plan planned, left;
};

Graphs read_graphs(const CompareContext& context) {
  Graphs g;
  try {
    Model before = open_model(context.original);
    const Model after = open_model(context.copy);
    g.changes = changes(before, after);
    g.before = inspect(before);
    g.planned = prepare_and_plan(before);
    g.left = make_plan(after);
    g.after = inspect(after);
  } catch (const Error&) {
    return {};
  }
  return g;
}

}  // namespace

void add_html_option(CLI::App& app, std::string& path) {
  app.add_option("--html", path,
                 help("Write a report as one HTML page here as well"))
      ->type_name("FILE");
}

HtmlFile::HtmlFile(const std::string& path) : file_(path, kPage) {}

void HtmlFile::write(const HtmlReport& report) {
  file_.write(html_report(report));
}

std::string typed(const CLI::App& command) {
  std::string out = "octavo " + command.get_name();
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& value : option->results()) {
      if (option->get_positional()) {
        out += " " + shell_quoted(value);
        continue;
      }
      out += " --" + option->get_lnames().at(0);
      if (option->get_items_expected_max() > 0)
        out += " " + shell_quoted(value);
    }
  }
  return out;
}

HtmlReport compared_report(const CompareResult& result,
                           const CompareContext& context,
                           const std::string& command) {
  HtmlReport report;
  report.comparison = result;
  report.context = context;
  report.command = command;
  Graphs g = read_graphs(context);
  report.fates = fates(g.changes, g.planned, g.left);
  report.candidates = std::ssize(g.changes);
  report.before = std::move(g.before);
  report.after = std::move(g.after);
  if (report.before && report.after) {
    report.context.original_bytes =
        static_cast<uint64_t>(report.before->file_bytes);
    report.context.copy_bytes = static_cast<uint64_t>(report.after->file_bytes);
  }
  return report;
}

HtmlReport trial_report(const TrialReport& trial, const std::string& command) {
  HtmlReport report = compared_report(trial.comparison, trial.context, command);
  // The plan knows more than the graphs: bytes after, and its own reasons.
  report.fates = fates(trial.quantized.result.plan);
  report.candidates = trial.quantized.result.plan.candidates;
  report.files = trial.files;
  report.latency = trial.latency;
  return report;
}

}  // namespace octavo::cli
