#include <fmt/format.h>

#include "report/compare_text.h"
#include "report/layers_report.h"
#include "report/probes_report.h"
#include "report/quantize_text.h"
#include "report/text_width.h"
#include "report/trial.h"
#include "report/units.h"
#include "report/wrap.h"

namespace octavo {
namespace {

// What a line is about.
std::string label(const char* name) { return fmt::format("{:<9}", name); }

std::string size_text(const QuantizeResult& r, int width) {
  std::string line = fmt::format("{} -> {}", bytes_text(r.bytes_before),
                                 bytes_text(r.bytes_after));
  if (r.bytes_before > 0)
    line += fmt::format(", {} of the original",
                        percent_text(static_cast<double>(r.bytes_after) /
                                     static_cast<double>(r.bytes_before)));
  return wrap_text(line, width, label("Size"));
}

std::string outcome_text(Outcome outcome) {
  const std::string name = outcome_name(outcome);
  return outcome == Outcome::too_few ? name + " for a statement" : name;
}

std::string speed_text(const TrialReport& r, int width) {
  if (!r.latency)
    return wrap_text("not measured: stopped before", width, label("Speed"));
  const BenchResult& l = *r.latency;
  const PairRatio& pair = l.pairs.at(0);
  const TimeSummary& before = l.contenders[0].summary;
  const TimeSummary& after = l.contenders[1].summary;
  std::string line = fmt::format("{}, {:.2f} x the original's speed",
                                 outcome_text(pair.outcome), pair.ratio);
  if (pair.outcome != Outcome::too_few)
    line += fmt::format(" (95 %: {:.2f} to {:.2f})", pair.interval_95.low,
                        pair.interval_95.high);
  line += fmt::format(
      "; a call of {} took {} -> {} (median; MAD {}, {})",
      count_noun(l.samples_per_call, "sample"),
      duration_text(before.median / 1e9), duration_text(after.median / 1e9),
      duration_text(before.mad / 1e9), duration_text(after.mad / 1e9));
  return wrap_text(line, width, label("Speed"));
}

std::string quantized_text(const Plan& plan, const TextOptions& options) {
  std::string out = wrap_text(
      plan.quantized == 0
          ? std::string("nothing was quantized: the copy is the original")
          : fmt::format("{} of {} quantized", count_text(plan.quantized),
                        count_noun(plan.candidates, "candidate node")),
      options.width, label("Nodes"));
  if (!plan.decisions.empty()) out += "\n" + fates_text(plan, options);
  return out;
}

// A sentence, and a command on a line of its own, which is never broken: it is
// there to be copied.
struct Advice {
  const char* sentence;
  std::string command;
};

Advice next_step(const TrialReport& r) {
  const CompareResult& c = r.comparison;
  const std::string& model = r.context.original;
  const std::string again =
      fmt::format("octavo compare {} {} {}", shell_quoted(model),
                  shell_quoted(r.context.copy), r.sample_flags);
  if (c.partial) return {"The comparison was stopped; make it whole:", again};
  if (c.verdict() == Verdict::outside)
    return {
        "Keep the original: the copy is outside what you allow. Each node's "
        "fate, and the reasons:",
        fmt::format("octavo quantize {} --dry-run", shell_quoted(model))};
  if (c.synthetic)
    return {"These inputs were made up. Try real ones:",
            fmt::format("octavo trial {} --samples FILE.npz --force",
                        shell_quoted(model))};
  if (!c.answers)
    return {"If you know the right answers, count them:",
            again + " --labels FILE.npz:KEY"};
  if (c.verdict() == Verdict::none)
    return {"Say what loss you allow, for a verdict:",
            again + " --max-drop 0.5"};
  return {"Repeat this where the copy will run; speed depends on the CPU:",
          "octavo doctor"};
}

}  // namespace

std::string shell_quoted(const std::string& text) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "_-+=./:,@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos)
    return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string trial_text(const TrialReport& r, const TextOptions& options) {
  const int width = options.width;
  const Plan& plan = r.quantized.result.plan;
  std::string out = verdict_text(r.comparison, options) +
                    answers_text(r.comparison, options) + "\n";
  out += size_text(r.quantized.result, width);
  out += speed_text(r, width);
  out += quantized_text(plan, options);
  const std::string outputs = outputs_text(r.comparison, options);
  if (!outputs.empty()) out += "\n" + outputs;
  const std::string probes = probes_text(r.comparison, options);
  if (!probes.empty()) out += "\n" + probes;
  if (r.context.layers) out += "\n" + layers_text(*r.context.layers, options);
  out += "\n";
  out += wrap_text(r.comparison.samples_description, width, label("Samples"));
  if (!r.context.runtime_version.empty())
    out +=
        wrap_text(fmt::format("ONNX Runtime {}, {}", r.context.runtime_version,
                              count_noun(r.context.threads, "thread")),
                  width, label("Runtime"));
  for (const std::string& file : r.files)
    out += wrap_text(file, width, label(&file == &r.files[0] ? "Files" : ""));
  const Advice next = next_step(r);
  out += wrap_text(next.sentence, width, label("Next"));
  out += "  " + printable(next.command) + "\n";
  return out;
}

}  // namespace octavo
