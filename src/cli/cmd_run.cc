#include "cli/command.h"

namespace octavo::cli {

void add_run(CLI::App&, Action&) {}

}  // namespace octavo::cli
