#include "cli/compare_options.h"

#include <fmt/format.h>

#include "cli/help.h"
#include "cli/interrupt.h"
#include "compare/checks.h"
#include "compare/element.h"
#include "octavo/error.h"
#include "octavo/samples.h"

namespace octavo::cli {
namespace {

// One class index a sample, from integers of any width.
std::vector<int64_t> load_labels(const std::string& path_and_key) {
  const Tensor t = load_array(path_and_key);
  const int64_t count = element_count(t.shape);
  const bool vector = !t.shape.empty() && t.shape[0] == count;
  if (!is_integer(t.type) || !vector)
    throw Error(
        ErrorKind::usage,
        fmt::format("the labels in {} are {} {}, but must be one "
                    "integer class index for each sample, [N]",
                    path_and_key, dtype_name(t.type), shape_text(t.shape)));
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < count; ++i) {
    const Scalar v = element_at(t.type, t.bytes, i);
    // A class index beyond int64 turns negative here and is refused later.
    labels.push_back(std::holds_alternative<int64_t>(v)
                         ? std::get<int64_t>(v)
                         : static_cast<int64_t>(std::get<uint64_t>(v)));
  }
  return labels;
}

}  // namespace

void add_compare_options(CLI::App& app, CompareFlags& flags) {
  const char* labels = "Labels";
  app.add_option("--labels", flags.labels,
                 help("The right class of every sample, integers [N]: .npy, "
                      ".pb, or one array of an .npz"))
      ->type_name("FILE[:KEY]")
      ->group(labels);
  app.add_option("--label-output", flags.label_output,
                 help("The output with the scores [N,C] (default: the first "
                      "floating one of two or more dimensions)"))
      ->type_name("NAME")
      ->group(labels);
  app.add_flag("--layers", flags.layers,
               help("Measure each quantized layer, too: its own error, and "
                    "that in the copy"));
  const char* tolerances =
      "Tolerances (none by default: no threshold is universal; your task, its "
      "labels and the costs of a wrong answer set it)";
  app.add_option("--max-abs", flags.max_abs,
                 help("Largest absolute difference of any element"))
      ->type_name("X")
      ->group(tolerances);
  app.add_option("--min-cosine", flags.min_cosine,
                 help("Least cosine of every floating output"))
      ->type_name("X")
      ->group(tolerances);
  app.add_option("--max-drop", flags.max_drop,
                 help("Largest loss of accuracy, in percentage points; needs "
                      "--labels"))
      ->type_name("POINTS")
      ->group(tolerances);
  app.add_option("--max-flips", flags.max_flips,
                 help("Largest share of samples whose answer changes; needs "
                      "--labels"))
      ->type_name("PERCENT")
      ->group(tolerances);
}

CompareOptions compare_options(const CompareFlags& flags) {
  CompareOptions options;
  if (!flags.labels.empty()) options.labels = load_labels(flags.labels);
  if (flags.labels.empty() && !flags.label_output.empty())
    throw Error(ErrorKind::usage,
                "--label-output names the scores that labels speak of; give "
                "--labels FILE too");
  options.label_output = flags.label_output;
  options.tolerances = {flags.max_abs, flags.min_cosine, flags.max_drop,
                        flags.max_flips};
  check_tolerances(options);
  return options;
}

int exit_code(const CompareResult& result,
              const std::optional<LayersResult>& layers) {
  if (result.partial || (layers && layers->partial)) return kInterrupted;
  return result.verdict() == Verdict::outside ? 1 : 0;
}

CompareContext compare_context(const Runtime& runtime, const RunOptions& run) {
  const RuntimeInfo& info = runtime_info(runtime);
  CompareContext context;
  context.runtime_version = info.version;
  context.runtime_library = info.library.string();
  context.providers = run.provider;
  if (context.providers.empty()) context.providers = {"CPU"};
  context.threads = info.threads;
  return context;
}

}  // namespace octavo::cli
