#include "cli/layers.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/scratch.h"
#include "cli/terminal.h"
#include "octavo/error.h"
#include "report/text_width.h"

namespace octavo::cli {
namespace fs = std::filesystem;

std::optional<LayersResult> measure_layers(
    const std::shared_ptr<Runtime>& runtime, const SessionOptions& session,
    const fs::path& original, const fs::path& copy, const SampleSource& samples,
    const std::atomic<bool>& stop) {
  if (stop) return std::nullopt;
  try {
    const Scratch scratch;
    ProgressLine line;
    LayersOptions options;
    options.session = session;
    options.scratch = scratch.path();
    options.stop = &stop;
    options.progress = [&](const CompareProgress& p) {
      line.show("measuring layers", p.samples_done, p.samples, "samples");
    };
    return compare_layers(runtime, original, copy, samples, options);
  } catch (const std::exception& e) {
    fmt::print(stderr, "octavo: warning: the layers were not measured: {}\n",
               printable(e.what()));
    return std::nullopt;
  }
}

}  // namespace octavo::cli
