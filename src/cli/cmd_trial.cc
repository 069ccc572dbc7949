#include "cli/command.h"

namespace octavo::cli {

void add_trial(CLI::App&, Action&) {}

}  // namespace octavo::cli
