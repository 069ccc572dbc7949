#include "cli/gate.h"

#include <fmt/format.h>

#include <ctime>

#include "cli/help.h"
#include "cli/probes.h"
#include "octavo/error.h"
#include "report/compare_markdown.h"
#include "report/junit.h"

namespace octavo::cli {
namespace {

constexpr ReportKind kBaseline{"--save-baseline", "baseline of octavo",
                               "{\n  \"schema\": \"octavo.baseline/"};
constexpr ReportKind kJunit{"--junit", "XML file", "<?xml"};
constexpr ReportKind kMarkdown{"--markdown", "report of octavo", "### "};

std::vector<std::string> own_names(bool timed, bool probed) {
  std::vector<std::string> names = {"size.ratio", "size.copy"};
  if (timed) names.emplace_back("speed.ratio");
  if (probed)
    for (std::string& name : probe_measurements())
      names.push_back(std::move(name));
  return names;
}

void add_own(std::vector<Measurement>& measured, const OwnMeasurements& own) {
  if (own.original_bytes > 0) {
    const auto copy = static_cast<double>(own.copy_bytes);
    measured.push_back({"size.ratio",
                        copy / static_cast<double>(own.original_bytes),
                        Scale::zero});
    measured.push_back({"size.copy", copy, Scale::none});
  }
  // No baseline: what a machine's clock says is not repeated.
  if (own.speed_ratio)
    measured.push_back({"speed.ratio", own.speed_ratio, Scale::none});
}

// "5%" or "0.05".
double share_of(const std::string& text) {
  const Limit limit = parse_limit("x <= " + text);
  if (limit.bound < 0)
    throw Error(ErrorKind::usage,
                fmt::format("--no-worse-than is {}, but must not be negative; "
                            "0 allows nothing to be worse",
                            text));
  return limit.bound;
}

}  // namespace

void add_gate_options(CLI::App& app, GateFlags& flags) {
  const char* limits = "Limits on anything that is measured";
  app.add_option("--require", flags.require,
                 help("A limit such as 'logits.cosine >= 0.999', "
                      "'accuracy.drop <= 0.5%', 'flips <= 1%', '*.max_abs <= "
                      "0.1' or 'size.ratio <= 0.3'; may be repeated"))
      ->allow_extra_args(false)
      ->type_name("EXPR")
      ->group(limits);
  app.add_option("--tolerances", flags.tolerances,
                 help("A TOML file with such limits: require = [\"...\"]"))
      ->type_name("FILE")
      ->group(limits);
  app.add_option("--save-baseline", flags.save_baseline,
                 help("Write what was measured here, for --baseline"))
      ->type_name("FILE")
      ->group(limits);
  app.add_option("--baseline", flags.baseline,
                 help("Be no worse than what was measured then; needs "
                      "--no-worse-than"))
      ->type_name("FILE")
      ->group(limits);
  app.add_option("--no-worse-than", flags.no_worse_than,
                 help("How much worse each measurement may be, as 5% or 0.05"))
      ->type_name("SHARE")
      ->group(limits);
  app.add_option("--junit", flags.junit,
                 help("Write the verdict as JUnit's XML, a test case a limit"))
      ->type_name("FILE");
  app.add_option("--markdown", flags.markdown,
                 help("Write a report that fits a pull request; -: print it "
                      "instead of the text"))
      ->type_name("FILE|-");
}

Gate::Gate(const GateFlags& flags, bool timed, bool probed, bool own_names)
    : timed_(timed),
      probed_(probed),
      own_names_(own_names),
      print_markdown_(flags.markdown == "-"),
      save_(flags.save_baseline, kBaseline),
      junit_(flags.junit, kJunit),
      markdown_(print_markdown_ ? "" : flags.markdown, kMarkdown),
      begin_(std::chrono::steady_clock::now()) {
  for (const std::string& text : flags.require)
    limits_.push_back(parse_limit(text));
  if (!flags.tolerances.empty())
    for (Limit& limit : load_limits(flags.tolerances))
      limits_.push_back(std::move(limit));
  if (flags.baseline.empty() != flags.no_worse_than.empty())
    throw Error(ErrorKind::usage,
                "--baseline FILE and --no-worse-than SHARE go together: one "
                "says what to compare with, the other how much worse it may "
                "be");
  if (flags.baseline.empty()) return;
  baseline_ = load_baseline(flags.baseline);
  share_ = share_of(flags.no_worse_than);
}

void Gate::check(const Runner& original, const CompareOptions& options) const {
  if (own_names_) return;  // a wrong name fails in the end
  check_limits(limits_, original.outputs(), options.labels.has_value(),
               options.metrics, own_names(timed_, probed_));
}

void Gate::judge(CompareResult& result, const OwnMeasurements& own) {
  std::vector<Measurement> measured = measurements(result);
  add_own(measured, own);
  const auto add = [&](std::vector<Check> checks) {
    for (Check& c : checks) result.checks.push_back(std::move(c));
  };
  add(octavo::judge(limits_, measured));
  if (baseline_) add(octavo::judge(*baseline_, share_, measured, result));
  // Half a run is no measure for the next one.
  if (save_.wanted() && !result.partial)
    save_.write(baseline_text(measured, result.samples));
}

void Gate::write(const CompareResult& result, const CompareContext& context,
                 const std::string& suite, const std::string& markdown) {
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - begin_;
  if (junit_.wanted())
    junit_.write(
        junit_xml(result, context, suite, std::time(nullptr), took.count()));
  if (markdown_.wanted()) markdown_.write(markdown);
  if (print_markdown_) printed_ = markdown;
}

void Gate::write(const CompareResult& result, const CompareContext& context) {
  write(result, context, "octavo compare", compare_markdown(result, context));
}

void Gate::write(const TrialReport& report) {
  write(report.comparison, report.context, "octavo trial",
        trial_markdown(report));
}

}  // namespace octavo::cli
