// A shared library opened while the program runs. The one file of dlopen; the
// library stays loaded until the process ends, because a runtime with threads
// of its own does not survive being unloaded.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace octavo {

struct DynamicLibrary {
  void* handle = nullptr;
  // The address of a symbol; null where the library has none of that name.
  void* symbol(const char* name) const noexcept;
  // The file that `address` (of a symbol) came from, symlinks resolved.
  static std::filesystem::path file_of(void* address);
};

// Opens a library, its symbols kept to itself. `name` with a slash is a path,
// without one the system's search decides. Empty on failure, and `why` gets
// the loader's words.
std::optional<DynamicLibrary> open_library(const std::string& name,
                                           std::string& why);

// Whether a library whose file name begins so is loaded in this process. Only
// Linux is asked; elsewhere false.
bool library_is_loaded(const std::string& name_begin);

}  // namespace octavo
