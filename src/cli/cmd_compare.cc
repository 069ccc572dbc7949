#include "cli/command.h"

namespace octavo::cli {

void add_compare(CLI::App&, Action&) {}

}  // namespace octavo::cli
