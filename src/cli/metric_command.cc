#include "cli/metric_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "octavo/error.h"
#include "report/text_width.h"
#include "runtime/npz_spool.h"

extern char** environ;

namespace octavo::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr size_t kMostPrinted = 1 << 20;
constexpr size_t kMostFigures = 100;

fs::path private_folder() {
  std::string name =
      (fs::temp_directory_path() / "octavo-metric-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw Error(
        ErrorKind::io,
        fmt::format("no folder can be made in {} for --metric-command: "
                    "{}",
                    fs::temp_directory_path().string(), std::strerror(errno)));
  return name;
}

// Closed at the end, whatever happens.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0)
      throw Error(ErrorKind::io, fmt::format("no pipe for --metric-command: {}",
                                             std::strerror(errno)));
  }
  ~Pipe() {
    close_write();
    close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int write_end() const { return ends_[1]; }
  void close_write() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }
  // All until the end, or a little more than what is accepted.
  std::string read_all() const {
    std::string text;
    char buffer[4096];
    while (text.size() <= kMostPrinted) {
      const ssize_t n = read(ends_[0], buffer, sizeof buffer);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      text.append(buffer, static_cast<size_t>(n));
    }
    return text;
  }

 private:
  int ends_[2] = {-1, -1};
};

pid_t start(const std::vector<std::string>& words, const Pipe& output) {
  std::vector<char*> argv;
  for (const std::string& word : words)
    argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.write_end(), STDOUT_FILENO);
  pid_t child = 0;
  const int code =
      posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0)
    throw Error(ErrorKind::runtime,
                fmt::format("the metric command '{}' cannot be started: {}; it "
                            "is run without a shell, looked for in PATH",
                            words[0], std::strerror(code)));
  return child;
}

void check_end(const std::string& name, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  throw Error(
      ErrorKind::runtime,
      WIFEXITED(status)
          ? fmt::format("the metric command '{}' ended with exit code {}; its "
                        "own words, if any, stand above",
                        name, WEXITSTATUS(status))
          : fmt::format("the metric command '{}' was ended by signal {}", name,
                        WTERMSIG(status)));
}

std::string run_program(const std::vector<std::string>& words) {
  Pipe output;
  const pid_t child = start(words, output);
  output.close_write();
  const std::string printed = output.read_all();
  if (printed.size() > kMostPrinted) kill(child, SIGTERM);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (printed.size() > kMostPrinted)
    throw Error(ErrorKind::limit,
                fmt::format("the metric command '{}' prints more than {} "
                            "bytes; it should print a number",
                            words[0], kMostPrinted));
  check_end(words[0], status);
  return printed;
}

[[noreturn]] void not_figures(const std::string& printed) {
  std::string shown = printed.substr(0, 200);
  while (!shown.empty() && shown.back() == '\n') shown.pop_back();
  throw Error(ErrorKind::runtime,
              fmt::format("the metric command printed '{}', but should print a "
                          "number, or JSON such as {{\"wer\": 0.12}} or "
                          "{{\"wer\": {{\"original\": 0.11, \"copy\": "
                          "0.12}}}}, and nothing else",
                          printable(shown)));
}

}  // namespace

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;  // a word, perhaps an empty one in quotes
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      // Within double quotes only these are escaped, as in a shell.
      if (quote == '"' && std::string_view("\"\\$`").find(text[i + 1]) ==
                              std::string_view::npos)
        word += c;
      word += text[++i];
      inside = true;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      inside = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(word);
  if (quote != 0)
    throw Error(ErrorKind::usage,
                fmt::format("the metric command {} opens a quote {} and never "
                            "closes it",
                            text, quote));
  if (words.empty() || words[0].empty())
    throw Error(ErrorKind::usage, "the metric command names no program");
  return words;
}

std::vector<Figure> parse_figures(const std::string& printed) {
  const Json j = Json::parse(printed, nullptr, false);
  if (j.is_number()) return {{"command", {}, {}, j.get<double>()}};
  if (!j.is_object() || j.empty() || j.size() > kMostFigures)
    not_figures(printed);
  std::vector<Figure> figures;
  for (const auto& [name, value] : j.items()) {
    if (name.empty() || name.size() > 100) not_figures(printed);
    if (value.is_number()) {
      figures.push_back({name, {}, {}, value.get<double>()});
    } else if (value.is_object() && value.size() == 2 &&
               value.contains("original") && value.contains("copy") &&
               value["original"].is_number() && value["copy"].is_number()) {
      figures.push_back({name,
                         value["original"].get<double>(),
                         value["copy"].get<double>(),
                         {}});
    } else {
      not_figures(printed);
    }
  }
  return figures;
}

struct MetricCommand::Kept {
  // Removed with all that is in it, last of all.
  struct Folder {
    fs::path path = private_folder();
    ~Folder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } folder;
  fs::path original = folder.path / "original", copy = folder.path / "copy";
  std::vector<std::unique_ptr<NpzSpool>> spools;
  std::vector<std::string> names[2];
};

MetricCommand::MetricCommand(const std::string& text) {
  if (!text.empty()) words_ = split_words(text);
}

MetricCommand::~MetricCommand() = default;

void MetricCommand::observe(CompareOptions& options, const Runner& reference,
                            const Runner& candidate) {
  kept_ = std::make_unique<Kept>();
  for (const fs::path& folder : {kept_->original, kept_->copy}) {
    fs::create_directory(folder);
    kept_->spools.push_back(std::make_unique<NpzSpool>(folder));
  }
  for (const Port& port : reference.outputs())
    kept_->names[0].push_back(port.name);
  for (const Port& port : candidate.outputs())
    kept_->names[1].push_back(port.name);
  options.observe = [kept = kept_.get()](const std::vector<Value>& r,
                                         const std::vector<Value>& c) {
    const std::vector<Value>* both[] = {&r, &c};
    for (size_t model = 0; model < 2; ++model)
      for (size_t i = 0; i < both[model]->size(); ++i) {
        const Value& v = (*both[model])[i];
        // What has no rows of numbers has no place in an .npz.
        if (v.kind == ValueKind::tensor && v.tensor.type != DType::string &&
            !v.tensor.shape.empty())
          kept->spools[model]->append(kept->names[model][i], v.tensor);
      }
  };
}

std::vector<Figure> MetricCommand::run() {
  std::vector<std::string> words = words_;
  for (size_t model = 0; model < 2; ++model) {
    if (kept_->spools[model]->empty())
      throw Error(ErrorKind::usage,
                  "--metric-command has nothing to hand over: no output is a "
                  "tensor of numbers with rows");
    const fs::path path =
        kept_->folder.path / (model == 0 ? "original.npz" : "copy.npz");
    kept_->spools[model]->write(path);
    words.push_back(path.string());
  }
  return parse_figures(run_program(words));
}

}  // namespace octavo::cli
