#include "base/dynamic_library.h"

#include <dlfcn.h>

#include <system_error>

namespace octavo {

void* DynamicLibrary::symbol(const char* name) const noexcept {
  return dlsym(handle, name);
}

std::filesystem::path DynamicLibrary::file_of(void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code ignored;
  const std::filesystem::path found(info.dli_fname);
  const auto real = std::filesystem::canonical(found, ignored);
  return real.empty() ? found : real;
}

std::optional<DynamicLibrary> open_library(const std::string& name,
                                           std::string& why) {
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* words = dlerror();
    why = words ? words : "the system's loader gave no reason";
    return std::nullopt;
  }
  return DynamicLibrary{handle};
}

}  // namespace octavo
