#include "cli/command.h"

namespace octavo::cli {

void add_quantize(CLI::App&, Action&) {}

}  // namespace octavo::cli
