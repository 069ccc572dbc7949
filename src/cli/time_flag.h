// A span of time as a person types it.
#pragma once

#include <string>

namespace octavo::cli {

// "90", "90s", "500ms", "10m", "1.5h" in seconds. Throws Error(usage) that
// names the flag.
double read_seconds(const std::string& flag, const std::string& text);

}  // namespace octavo::cli
