#include "cli/usage.h"

#include <fmt/format.h>

#include <vector>

#include "base/names.h"

namespace octavo::cli {
namespace {

// The end of the sentence about a wrong name.
std::string suggestion(const std::string& wrong,
                       const std::vector<std::string>& right) {
  const std::string words = did_you_mean(wrong, right);
  return words.empty() ? "." : "; " + words;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands({}))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> flag_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* option : command.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace

std::string usage_sentence(const CLI::App& app, const CLI::ParseError& error,
                           int argc, char** argv) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    const std::string names = name_list(command_names(app));
    if (argc < 2)
      return fmt::format(
          "a command was expected, one of {}; see octavo "
          "--help.",
          names);
    const std::string word = argv[1];
    if (!word.starts_with("-"))
      return fmt::format("'{}' is no command{} The commands are {}.", word,
                         suggestion(word, command_names(app)), names);
  }
  const std::string command = chosen.empty() ? "" : chosen[0]->get_name() + " ";
  const CLI::App& where = chosen.empty() ? app : *chosen[0];
  for (const std::string& word : app.remaining(true))
    if (word.starts_with("-"))
      return fmt::format(
          "octavo {}has no flag '{}'{}", command, word,
          suggestion(word.substr(0, word.find('=')), flag_names(where)));
  std::string text = error.what();
  while (text.ends_with('.') || text.ends_with('\n')) text.pop_back();
  return fmt::format("{}; see octavo {}--help.", text, command);
}

}  // namespace octavo::cli
