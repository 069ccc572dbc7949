#include "base/dynamic_library.h"

#include <dlfcn.h>
#if defined(__linux__)
#include <link.h>
#endif

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

bool library_is_loaded(const std::string& name_begin) {
#if defined(__linux__)
  struct Search {
    const std::string& begin;
    bool found = false;
  } search{name_begin};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& s = *static_cast<Search*>(data);
        const std::filesystem::path path(info->dlpi_name ? info->dlpi_name
                                                         : "");
        s.found = path.filename().string().starts_with(s.begin);
        return s.found ? 1 : 0;  // 1 ends the walk
      },
      &search);
  return search.found;
#else
  (void)name_begin;
  return false;
#endif
}

}  // namespace octavo
