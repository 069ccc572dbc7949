// What a trial found, all in one place, and how it reads: `trial_text` fits a
// screen, `trial_json` is the document "octavo.trial/1" (docs/compare.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "octavo/bench.h"
#include "octavo/compare.h"
#include "report/colour.h"
#include "report/compare_context.h"
#include "report/json.h"
#include "report/quantize_context.h"

namespace octavo {

struct TrialReport {
  QuantizeContext quantized;
  CompareResult comparison;
  CompareContext context;
  std::optional<BenchResult> latency;  // empty: stopped before
  std::vector<std::string> files;      // written, the copy first
  // The flags of this trial that `octavo compare` takes too, as a shell reads
  // them: "--samples digits.npz --batch 32".
  std::string sample_flags;
};

// `text` as one word of a POSIX shell.
std::string shell_quoted(const std::string& text);

std::string trial_text(const TrialReport& report,
                       const TextOptions& options = {});
Json trial_json(const TrialReport& report);

}  // namespace octavo
