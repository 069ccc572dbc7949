// What was wrong with the words of a command line, as one sentence with the
// nearest right ones.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace octavo::cli {

std::string usage_sentence(const CLI::App& app, const CLI::ParseError& error,
                           int argc, char** argv);

}  // namespace octavo::cli
