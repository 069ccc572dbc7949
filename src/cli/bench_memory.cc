#include "cli/bench_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <fstream>
#include <memory>
#include <vector>

#include "cli/scratch.h"
#include "octavo/error.h"

extern char** environ;

namespace octavo::cli {
namespace {

constexpr int kRuns = 10;

// "VmRSS:  1234 kB" in bytes; -1 where there is no such line.
int64_t status_bytes(const std::string& key) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key + ":"))
      return std::stoll(line.substr(key.size() + 1)) * 1024;
  return -1;
}

int run_child(const std::string& model, const std::string& file,
              const RunOptions& options, bool spin) {
  RuntimeOptions settings = runtime_options(options);
  settings.spin = spin;
  const auto runtime = load_runtime(settings);
  MemoryUse use;
  use.runtime = status_bytes("VmRSS");
  const auto session = open_session(runtime, model, session_options(options));
  use.loaded = status_bytes("VmRSS");
  const Batch batch =
      open_samples(sample_spec(options), session->inputs())->batch(0);
  const PreparedCall call = session->prepare(batch.feed);
  for (int i = 0; i < kRuns; ++i) call();
  use.steady = status_bytes("VmRSS");
  use.peak = status_bytes("VmHWM");
  std::ofstream(file) << use.runtime << ' ' << use.loaded << ' ' << use.steady
                      << ' ' << use.peak;
  return 0;
}

}  // namespace

std::optional<MemoryUse> measure_memory(const std::string& model,
                                        const RunOptions& options, bool spin) {
  const Scratch scratch;
  const std::string file = (scratch.path() / "memory").string();
  std::vector<std::string> words = {"octavo", "memory-of", model, file};
  for (const std::string& word : run_flags(options)) words.push_back(word);
  if (spin) words.push_back("--spin");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int code = posix_spawn(&child, "/proc/self/exe", &actions, nullptr,
                               argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) return std::nullopt;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  MemoryUse use;
  std::ifstream in(file);
  if (status != 0 ||
      !(in >> use.runtime >> use.loaded >> use.steady >> use.peak) ||
      use.peak < 0)
    return std::nullopt;
  return use;
}

void add_memory_child(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("memory-of", "")->group("");
  struct Options {
    std::string model, file;
    RunOptions run;
    bool spin = false;
  };
  const auto options = std::make_shared<Options>();
  command->add_option("model", options->model)->required();
  command->add_option("file", options->file)->required();
  command->add_flag("--spin", options->spin);
  add_run_options(*command, options->run);
  command->callback([&action, options] {
    action = [options] {
      return run_child(options->model, options->file, options->run,
                       options->spin);
    };
  });
}

}  // namespace octavo::cli
