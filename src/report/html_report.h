// A comparison, or a whole trial, as one self-contained HTML file for people:
// the verdict and how much smaller first, then sizes, every node's fate, every
// measure, and the command to repeat it. Its door: `html_report`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "octavo/bench.h"
#include "octavo/compare.h"
#include "octavo/inspect.h"
#include "octavo/plan.h"
#include "report/compare_context.h"

namespace octavo {

// What became of one node of the original.
struct Fate {
  std::string node, scope, op;
  std::string becomes;
  bool quantized = false;
  int64_t bytes_before = 0;            // of its weights
  std::optional<int64_t> bytes_after;  // empty: not known
  std::string reason;                  // why it is float
};

struct HtmlReport {
  CompareResult comparison;
  CompareContext context;
  std::string command;             // that made this report
  std::vector<std::string> files;  // written beside it

  std::optional<Inspection> before, after;
  std::vector<Fate> fates;
  int64_t candidates = 0;  // nodes that could have been quantized

  std::optional<BenchResult> latency;
};

std::vector<Fate> fates(const Plan& plan);
// Counted from the graphs: the copy may come from any tool. `planned` is a
// plan for the original and tells its bytes; `left` one for the copy, which
// tells why nodes still are float.
std::vector<Fate> fates(const std::vector<Change>& changes, const Plan& planned,
                        const Plan& left);

std::string html_report(const HtmlReport& report);

}  // namespace octavo
