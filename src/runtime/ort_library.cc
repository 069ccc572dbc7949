#include "runtime/ort_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <vector>

#include "base/dynamic_library.h"

#if defined(__SANITIZE_ADDRESS__)
// ONNX Runtime keeps a few allocations until the process ends (14 bytes at
// load in 1.30, more where it refuses a model). LeakSanitizer reads this list
// and does not take them for ours; it stands here because whatever loads the
// runtime links this file.
extern "C" __attribute__((weak, visibility("default"))) const char*
__lsan_default_suppressions() {
  return "leak:libonnxruntime\n";
}
extern "C" __attribute__((weak, visibility("default"))) const char*
__lsan_default_options() {
  return "print_suppressions=0";
}
#endif

namespace octavo {
namespace {

namespace fs = std::filesystem;

// The library inside a folder such as an unpacked release: the shortest name
// of the form libonnxruntime.so*, in the folder or its lib/.
fs::path library_in(const fs::path& folder) {
  std::vector<std::string> found;
  for (const fs::path& place : {folder, folder / "lib"}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(place, ignored)) {
      const std::string name = entry.path().filename().string();
      if (name.rfind("libonnxruntime.so", 0) == 0 ||
          name.rfind("libonnxruntime.dylib", 0) == 0)
        found.push_back(entry.path().string());
    }
  }
  if (found.empty())
    throw Error(ErrorKind::runtime,
                fmt::format("the folder '{}' holds no libonnxruntime.so, nor "
                            "does its lib/; name the library's own file.",
                            folder.string()));
  return *std::min_element(found.begin(), found.end(),
                           [](const std::string& a, const std::string& b) {
                             return a.size() != b.size() ? a.size() < b.size()
                                                         : a < b;
                           });
}

// The API version of a release: "1.30.0" gives 30. Asking the library for more
// than it has would make it print to stderr.
int newest_api(const std::string& version) {
  int minor = 0;
  if (version.rfind("1.", 0) != 0) return kWantedApi;
  const auto parsed = std::from_chars(version.data() + 2,
                                      version.data() + version.size(), minor);
  return parsed.ec == std::errc() ? minor : kWantedApi;
}

OrtLibrary adopt(const DynamicLibrary& library, const std::string& name,
                 const std::string& found_by) {
  void* symbol = library.symbol("OrtGetApiBase");
  if (symbol == nullptr)
    throw Error(ErrorKind::runtime,
                fmt::format("'{}' is a library, but not ONNX Runtime: it has "
                            "no function OrtGetApiBase.",
                            name));
  const auto get_base =
      reinterpret_cast<const OrtApiBase*(ORT_API_CALL*)()>(symbol);
  const OrtApiBase* base = get_base();
  OrtLibrary out;
  out.path = DynamicLibrary::file_of(symbol);
  if (out.path.empty()) out.path = name;
  out.found_by = found_by;
  out.version = base->GetVersionString();
  for (int api = std::min(kWantedApi, newest_api(out.version));
       api >= kMinApi && out.api == nullptr; --api) {
    out.api = base->GetApi(static_cast<uint32_t>(api));
    out.api_version = api;
  }
  if (out.api == nullptr)
    throw Error(ErrorKind::runtime,
                fmt::format("'{}' is ONNX Runtime {}, and Octavo needs 1.{} or "
                            "later; name a newer library with --runtime PATH.",
                            out.path.string(), out.version, kMinApi));
  return out;
}

OrtLibrary load_named(const fs::path& named, const std::string& found_by) {
  std::error_code ignored;
  std::string name = fs::is_directory(named, ignored)
                         ? library_in(named).string()
                         : named.string();
  if (name.find('/') == std::string::npos && fs::exists(name, ignored))
    name = "./" + name;
  std::string why;
  const auto library = open_library(name, why);
  if (!library)
    throw Error(ErrorKind::runtime,
                fmt::format("the ONNX Runtime library '{}', named by {}, does "
                            "not load: {}.",
                            named.string(), found_by, why));
  return adopt(*library, name, found_by);
}

// Debian names the library by its minor version.
std::vector<std::string> system_names() {
  std::vector<std::string> names = {"libonnxruntime.so.1"};
  for (int minor = 40; minor >= kMinApi; --minor)
    names.push_back(fmt::format("libonnxruntime.so.1.{}", minor));
  names.push_back("libonnxruntime.so");
  names.push_back("libonnxruntime.dylib");
  return names;
}

}  // namespace

OrtLibrary load_ort_library(const fs::path& named) {
  if (!named.empty()) return load_named(named, "--runtime");
  const char* variable = std::getenv("OCTAVO_RUNTIME");
  if (variable != nullptr && *variable != '\0')
    return load_named(variable, "OCTAVO_RUNTIME");

  std::string why, first_reason;
  const std::string built = OCTAVO_ORT_LIBRARY;
  if (!built.empty()) {
    if (const auto library = open_library(built, why))
      return adopt(*library, built, "build");
    first_reason = fmt::format(
        " The library that the build fetched does not load: {}.", why);
  }
  for (const std::string& name : system_names())
    if (const auto library = open_library(name, why))
      return adopt(*library, name, "system");
  throw Error(ErrorKind::runtime,
              fmt::format("ONNX Runtime was not found, which runs the models: "
                          "run `make` in Octavo's folder, which fetches one, "
                          "or install the package libonnxruntime-dev, or name "
                          "a library with --runtime PATH.{}",
                          first_reason));
}

}  // namespace octavo
