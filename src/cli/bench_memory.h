// How much memory a model takes: in a process of its own, which does nothing
// but run it, for memory that one model gave back serves the next. Doors:
// `measure_memory`, and the hidden subcommand that it starts.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/run_options.h"
#include "report/bench_report.h"

namespace octavo::cli {

// Empty where the system does not tell, or the process fails: then the model
// itself fails as well, and its own message is the better one.
std::optional<MemoryUse> measure_memory(const std::string& model,
                                        const RunOptions& options, bool spin);

// `octavo memory-of MODEL FILE`, not in the help.
void add_memory_child(CLI::App& app, Action& action);

}  // namespace octavo::cli
