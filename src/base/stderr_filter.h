// For other people's libraries that write to standard error and offer no way
// to stop them. Its door is `filter_stderr`; the one file that moves a
// process's standard error about.
#pragma once

#include <functional>
#include <string_view>

namespace octavo {

// Does `work`; what anyone in the process writes to standard error meanwhile
// is held back, and at the end all of it but the lines that `drop` names is
// passed on. Where nothing can be held back (no room for a temporary file)
// everything just passes. Exceptions of `work` pass as well. Not for two
// threads at once.
void filter_stderr(const std::function<void()>& work,
                   const std::function<bool(std::string_view)>& drop);

}  // namespace octavo
