#include "cli/command.h"

namespace octavo::cli {

void add_doctor(CLI::App&, Action&) {}

}  // namespace octavo::cli
