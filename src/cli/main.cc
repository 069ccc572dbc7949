// The command `octavo`: parse, call one subcommand, turn its error into one
// sentence and an exit code.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include "base/version.h"
#include "cli/bench_memory.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/usage.h"
#include "octavo/error.h"

namespace {

int fail(const char* sentence) {
  fmt::print(stderr, "octavo: error: {}\n", sentence);
  return 2;
}

// The arguments, last first, as CLI11 takes them. Two flags may stand bare:
// else they would take the model that may follow for their value.
std::vector<std::string> arguments(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  for (size_t i = 0; i < words.size(); ++i) {
    const bool number =
        i + 1 < words.size() && !words[i + 1].empty() &&
        words[i + 1].find_first_not_of("0123456789.") == std::string::npos;
    if (words[i] == "--require-quantized" && !number) words[i] += "=0";
    const bool pattern = i + 1 < words.size() &&
                         !words[i + 1].starts_with("-") &&
                         !words[i + 1].ends_with(".onnx");
    if (words[i] == "--assume-constant" && !pattern) words[i] += "=*";
  }
  std::reverse(words.begin(), words.end());
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_DFL);  // `octavo ... | head` ends quietly
  signal(SIGXFSZ, SIG_IGN);  // a file over the limit is an error, not a death

  CLI::App app{
      "Quantizes ONNX models to INT8 and proves what that cost and saved."};
  app.name("octavo");
  app.set_version_flag("--version",
                       fmt::format("octavo {}", octavo::version()));
  app.require_subcommand(1);

  octavo::cli::Action action;
  octavo::cli::add_quantize(app, action);
  octavo::cli::add_plan(app, action);
  octavo::cli::add_inspect(app, action);
  octavo::cli::add_compare(app, action);
  octavo::cli::add_merge(app, action);
  octavo::cli::add_trial(app, action);
  octavo::cli::add_sensitivity(app, action);
  octavo::cli::add_tune(app, action);
  octavo::cli::add_bench(app, action);
  octavo::cli::add_memory_child(app, action);
  octavo::cli::add_run(app, action);
  octavo::cli::add_doctor(app, action);

  try {
    app.parse(arguments(argc, argv));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    return fail(octavo::cli::usage_sentence(app, e, argc, argv).c_str());
  }
  try {
    return action();
  } catch (const octavo::cli::Interrupted&) {
    return octavo::cli::kInterrupted;
  } catch (const octavo::cli::Unmet& e) {
    fmt::print(stderr, "octavo: {}\n", e.sentence);
    return 1;
  } catch (const octavo::Error& e) {
    return fail(e.what());
  } catch (const std::bad_alloc&) {
    return fail(
        "there is not enough memory for this; close other programs, "
        "or use fewer threads with --threads.");
  } catch (const std::exception& e) {
    return fail(
        fmt::format("an unexpected fault in octavo: {}", e.what()).c_str());
  }
}
