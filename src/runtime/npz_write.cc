// Writing .npz.
#include <fmt/format.h>
#include <zip.h>

#include <system_error>

#include "octavo/error.h"
#include "runtime/npy.h"
#include "runtime/npz.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::io,
              fmt::format("'{}' cannot be written: {}.", path.string(), why));
}

// A free name in the same folder, so that renaming is atomic. Two writers that
// find the same one are told apart by ZIP_EXCL.
fs::path temporary_beside(const fs::path& path) {
  std::error_code ignored;
  for (int i = 0;; ++i) {
    fs::path out = path;
    out += fmt::format(".{}.tmp", i);
    if (!fs::exists(out, ignored)) return out;
  }
}

// Adds the arrays; empty on success, else libzip's words. libzip writes at
// zip_close, so `files` must live until then.
std::string write_all(const fs::path& path,
                      std::span<const std::pair<std::string, Tensor>> arrays) {
  int code = 0;
  zip_t* zip = zip_open(path.c_str(), ZIP_CREATE | ZIP_EXCL, &code);
  if (zip == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string words = zip_error_strerror(&error);
    zip_error_fini(&error);
    return words;
  }
  std::vector<std::vector<std::byte>> files;
  files.reserve(arrays.size());
  for (const auto& [name, tensor] : arrays) {
    files.push_back(npy_bytes(tensor));
    zip_source_t* source =
        zip_source_buffer(zip, files.back().data(), files.back().size(), 0);
    const zip_int64_t index = source == nullptr
                                  ? -1
                                  : zip_file_add(zip, (name + ".npy").c_str(),
                                                 source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      if (source != nullptr) zip_source_free(source);
      const std::string words = zip_strerror(zip);
      zip_discard(zip);
      return words;
    }
    // As numpy.savez does; readers can then map or seek.
    zip_set_file_compression(zip, static_cast<zip_uint64_t>(index),
                             ZIP_CM_STORE, 0);
    // A fixed time (numpy's, too): equal arrays make equal files.
    zip_file_set_dostime(zip, static_cast<zip_uint64_t>(index), 0, 33, 0);
  }
  if (zip_close(zip) == 0) return "";
  const std::string words = zip_strerror(zip);
  zip_discard(zip);
  return words;
}

}  // namespace

void write_npz(const fs::path& path,
               std::span<const std::pair<std::string, Tensor>> arrays) {
  if (arrays.empty()) refuse(path, "there is no array to write");
  const fs::path temporary = temporary_beside(path);
  std::error_code ignored;
  try {
    const std::string words = write_all(temporary, arrays);
    if (!words.empty()) refuse(path, words);
    std::error_code failed;
    fs::rename(temporary, path, failed);
    if (failed) refuse(path, failed.message());
  } catch (...) {
    fs::remove(temporary, ignored);
    throw;
  }
}

}  // namespace octavo
