#include "runtime/npz_spool.h"

#include <fmt/format.h>
#include <zip.h>

#include <limits>

#include "base/element.h"
#include "octavo/error.h"
#include "runtime/npy.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::io,
              fmt::format("'{}' cannot be written: {}.", path.string(), why));
}

std::span<const char> chars(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

// A .npy file whose header has room for any number of rows.
struct NpzSpool::Array {
  std::string name;
  fs::path path;
  std::ofstream file;
  DType type = DType::undefined;
  Shape shape;  // rows so far, and the shape of one
  size_t header_bytes = 0;

  void write(std::span<const std::byte> bytes) {
    const auto c = chars(bytes);
    file.write(c.data(), static_cast<std::streamsize>(c.size()));
    if (!file) refuse(path, "the disk is full, or the folder is gone");
  }
};

NpzSpool::NpzSpool(fs::path folder) : folder_(std::move(folder)) {}
NpzSpool::NpzSpool(NpzSpool&&) noexcept = default;
NpzSpool::~NpzSpool() {
  std::error_code ignored;
  for (const auto& array : arrays_) fs::remove(array->path, ignored);
}

NpzSpool::Array& NpzSpool::array_of(const std::string& name,
                                    const Tensor& first) {
  for (const auto& array : arrays_)
    if (array->name == name) return *array;
  auto array = std::make_unique<Array>();
  array->name = name;
  array->path = folder_ / fmt::format("rows-{}.npy", arrays_.size());
  array->file.open(array->path, std::ios::binary | std::ios::trunc);
  array->type = first.type;
  array->shape = first.shape;
  array->shape[0] = std::numeric_limits<int64_t>::max();
  array->header_bytes = npy_header_bytes(first.type, array->shape, 0).size();
  array->shape[0] = 0;
  array->write(std::vector<std::byte>(array->header_bytes));
  arrays_.push_back(std::move(array));
  return *arrays_.back();
}

void NpzSpool::append(const std::string& name, const Tensor& given) {
  if (given.type == DType::string)
    throw Error(ErrorKind::unsupported,
                fmt::format("the output '{}' holds strings, which are not "
                            "written to an .npz here",
                            name));
  if (given.shape.empty())
    throw Error(
        ErrorKind::usage,
        fmt::format("the output '{}' is a scalar, which has no rows", name));
  const Tensor tensor = widen(given);
  Array& array = array_of(name, tensor);
  Shape row = tensor.shape;
  row[0] = array.shape[0];
  if (tensor.type != array.type || row != array.shape)
    throw Error(ErrorKind::usage,
                fmt::format("the output '{}' is {} {} in one batch and {} "
                            "{} in another, so that its rows are no one array; "
                            "give samples of one shape",
                            name, dtype_name(array.type),
                            shape_text(std::span(array.shape).subspan(1)),
                            dtype_name(tensor.type),
                            shape_text(std::span(tensor.shape).subspan(1))));
  array.write(tensor.bytes);
  array.shape[0] += tensor.shape[0];
}

void NpzSpool::write(const fs::path& path) {
  for (const auto& array : arrays_) {
    array->file.seekp(0);
    array->write(
        npy_header_bytes(array->type, array->shape, array->header_bytes));
    array->file.close();
    if (!array->file) refuse(array->path, "the disk is full");
  }
  int code = 0;
  zip_t* zip = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (zip == nullptr) refuse(path, "libzip cannot create it");
  for (const auto& array : arrays_) {
    zip_source_t* source = zip_source_file(zip, array->path.c_str(), 0, -1);
    const zip_int64_t index =
        source == nullptr ? -1
                          : zip_file_add(zip, (array->name + ".npy").c_str(),
                                         source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      if (source != nullptr) zip_source_free(source);
      const std::string words = zip_strerror(zip);
      zip_discard(zip);
      refuse(path, words);
    }
    zip_set_file_compression(zip, static_cast<zip_uint64_t>(index),
                             ZIP_CM_STORE, 0);
  }
  if (zip_close(zip) != 0) {
    const std::string words = zip_strerror(zip);
    zip_discard(zip);
    refuse(path, words);
  }
  std::error_code ignored;
  for (const auto& array : arrays_) fs::remove(array->path, ignored);
  arrays_.clear();
}

}  // namespace octavo
