// What every subcommand is: a function that adds itself to the parser and
// leaves the work to be done in `action`. The work returns an exit code:
// 0 done or within tolerance, 1 measured but outside tolerance, 2 error.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace octavo::cli {

// Thrown where a demand of the person was measured and is not met: exit 1.
struct Unmet {
  std::string sentence;
};

using Action = std::function<int()>;

void add_quantize(CLI::App& app, Action& action);
void add_plan(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_sensitivity(CLI::App& app, Action& action);
void add_tune(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_merge(CLI::App& app, Action& action);
void add_trial(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);

}  // namespace octavo::cli
