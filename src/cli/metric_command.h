// --metric-command: both models' outputs handed to a program of the user's
// own, which prints a number. Door: MetricCommand.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "octavo/compare.h"

namespace octavo::cli {

// The words of a command as a POSIX shell would part them: blanks part, single
// and double quotes and backslashes hold together. Nothing is expanded, for no
// shell is asked. Throws Error(usage) for an open quote and for no word at all.
std::vector<std::string> split_words(const std::string& text);

// What the program printed: a number (named "command"), or a JSON object of
// numbers or of {"original": NUMBER, "copy": NUMBER}. Throws Error(runtime)
// for anything else, and quotes it.
std::vector<Figure> parse_figures(const std::string& printed);

class MetricCommand {
 public:
  // "": there is none. Throws Error(usage) for a text that is no command.
  explicit MetricCommand(const std::string& text);
  ~MetricCommand();

  bool wanted() const { return !words_.empty(); }
  // Lets `options` keep what each batch gives, in a folder of its own.
  void observe(CompareOptions& options, const Runner& reference,
               const Runner& candidate);
  // Runs WORDS... ORIGINAL.npz COPY.npz and reads its figures. Throws
  // Error(runtime) where the program cannot be started or fails.
  std::vector<Figure> run();

 private:
  struct Kept;
  std::vector<std::string> words_;
  std::unique_ptr<Kept> kept_;
};

}  // namespace octavo::cli
