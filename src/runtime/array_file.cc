#include "runtime/array_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include "octavo/error.h"
#include "octavo/samples.h"
#include "runtime/npz.h"
#include "runtime/tensor_pb.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

std::string extension_of(const fs::path& path) {
  std::string out = path.extension().string();
  for (char& c : out)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

Tensor slice(const Tensor& tensor, int64_t first, int64_t count) {
  Tensor out;
  out.type = tensor.type;
  out.shape = tensor.shape;
  out.shape[0] = 1;
  const int64_t row = element_count(out.shape);
  out.shape[0] = count;
  const auto begin = static_cast<std::ptrdiff_t>(first * row);
  const auto end = static_cast<std::ptrdiff_t>((first + count) * row);
  if (tensor.type == DType::string) {
    out.strings.assign(tensor.strings.begin() + begin,
                       tensor.strings.begin() + end);
  } else {
    const std::ptrdiff_t width = dtype_bits(tensor.type) / 8;
    out.bytes.assign(tensor.bytes.begin() + begin * width,
                     tensor.bytes.begin() + end * width);
  }
  return out;
}

}  // namespace

ArrayFile::ArrayFile(std::string key, std::unique_ptr<ByteSource> source)
    : key_(std::move(key)),
      where_(source->name()),
      source_(std::move(source)),
      header_(read_npy_header(*source_)) {}

ArrayFile::ArrayFile(std::string key, std::string where, Tensor tensor)
    : key_(std::move(key)), where_(std::move(where)) {
  header_.type = tensor.type;
  header_.shape = tensor.shape;
  held_ = std::move(tensor);
}

Tensor ArrayFile::all() const {
  return held_ ? *held_ : read_npy(*source_, header_);
}

Tensor ArrayFile::rows(int64_t first, int64_t count) const {
  return held_ ? slice(*held_, first, count)
               : read_npy_rows(*source_, header_, first, count);
}

void ArrayFile::hold() {
  if (!held_ && header_.fortran_order) held_ = read_npy(*source_, header_);
}

ArrayFormat array_format(const fs::path& path) {
  const auto file = open_file_source(path);
  char start[6] = {};
  const auto n =
      static_cast<size_t>(std::min<int64_t>(sizeof start, file->size()));
  if (n > 0) file->read(0, std::as_writable_bytes(std::span(start, n)));
  if (n == 6 && std::memcmp(start, "\x93NUMPY", 6) == 0)
    return ArrayFormat::npy;
  if (n >= 4 && std::memcmp(start, "PK", 2) == 0) return ArrayFormat::npz;
  const std::string extension = extension_of(path);
  if (extension == ".npy") return ArrayFormat::npy;
  if (extension == ".npz") return ArrayFormat::npz;
  if (extension == ".pb") return ArrayFormat::pb;
  throw Error(ErrorKind::format,
              fmt::format("{} is no array: numpy's .npy and .npz and ONNX's "
                          "TensorProto (.pb) can be read.",
                          file->name()));
}

std::vector<ArrayFile> open_arrays(const fs::path& path,
                                   const std::vector<std::string>& wanted) {
  std::vector<ArrayFile> out;
  switch (array_format(path)) {
    case ArrayFormat::npy:
      out.emplace_back("", open_file_source(path));
      break;
    case ArrayFormat::pb: {
      NamedTensor read = read_tensor_pb(path);
      out.emplace_back(std::move(read.name), fmt::format("'{}'", path.string()),
                       std::move(read.tensor));
      break;
    }
    case ArrayFormat::npz: {
      const NpzFile npz(path);
      for (const std::string& key : npz.keys())
        if (wanted.empty() ||
            std::find(wanted.begin(), wanted.end(), key) != wanted.end())
          out.emplace_back(key, npz.open(key));
      break;
    }
  }
  return out;
}

Tensor load_array(const std::string& path_and_key) {
  std::error_code ignored;
  const size_t colon = path_and_key.rfind(':');
  if (colon != std::string::npos && !fs::exists(path_and_key, ignored)) {
    const fs::path path = path_and_key.substr(0, colon);
    if (array_format(path) != ArrayFormat::npz)
      throw Error(ErrorKind::usage,
                  fmt::format("'{}' names an array in a file, but '{}' is no "
                              ".npz.",
                              path_and_key, path.string()));
    const std::string key = path_and_key.substr(colon + 1);
    const ArrayFile array(key, NpzFile(path).open(key));
    return array.all();
  }
  if (array_format(path_and_key) == ArrayFormat::npz) {
    const NpzFile npz(path_and_key);
    if (npz.keys().size() != 1)
      throw Error(ErrorKind::usage,
                  fmt::format("'{0}' holds {1} arrays; say which one, as in "
                              "{0}:{2}.",
                              path_and_key, npz.keys().size(),
                              npz.keys().empty() ? "NAME" : npz.keys()[0]));
  }
  return open_arrays(path_and_key)[0].all();
}

}  // namespace octavo
