#include "cli/layers.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/terminal.h"
#include "octavo/error.h"
#include "report/text_width.h"

namespace octavo::cli {
namespace {

namespace fs = std::filesystem;

// A folder of our own that goes with all that is in it.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "octavo-XXXXXX").string();
    if (!::mkdtemp(name.data()))
      throw Error(ErrorKind::io, fmt::format("no folder can be made in {}: {}",
                                             fs::temp_directory_path().string(),
                                             std::strerror(errno)));
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

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
