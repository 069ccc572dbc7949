#include "model/external.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>

#include "model/mapped_file.h"
#include "octavo/error.h"

namespace octavo {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t kSmallest = 1024;
constexpr uint64_t kLargeIndices = 1 << 20;

struct Entry {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};

uint64_t number(const onnx::TensorProto& t, const std::string& key,
                const std::string& text) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end)
    throw Error(ErrorKind::format,
                fmt::format("the tensor '{}' has the external {} '{}', where "
                            "a number of bytes was expected",
                            t.name(), key, text));
  return value;
}

Entry read_entry(const onnx::TensorProto& t) {
  Entry entry;
  for (const auto& e : t.external_data()) {
    if (e.key() == "location") entry.location = e.value();
    if (e.key() == "offset") entry.offset = number(t, e.key(), e.value());
    if (e.key() == "length") entry.length = number(t, e.key(), e.value());
  }
  if (entry.location.empty())
    throw Error(ErrorKind::format,
                fmt::format("the tensor '{}' is said to be external, but "
                            "names no file",
                            t.name()));
  return entry;
}

fs::path resolve(const fs::path& folder, const onnx::TensorProto& t,
                 const std::string& location) {
  if (folder.empty())
    throw Error(ErrorKind::format,
                fmt::format("the tensor '{}' takes its data from the file "
                            "'{}', and a model in memory has no folder to "
                            "look in; name one",
                            t.name(), location));
  std::error_code ec;
  const fs::path base = fs::canonical(folder, ec);
  const fs::path relative(location);
  const fs::path path = fs::weakly_canonical(base / relative, ec);
  const auto inside = path.lexically_relative(base);
  if (relative.is_absolute() || ec || inside.empty() || *inside.begin() == "..")
    throw Error(ErrorKind::format,
                fmt::format("the tensor '{}' takes its data from '{}', which "
                            "lies outside the model's folder; ONNX Runtime "
                            "refuses that too. Put the file beside the model.",
                            t.name(), location));
  if (!fs::exists(path))
    throw Error(ErrorKind::io,
                fmt::format("the data file '{}' of the tensor '{}' is not "
                            "there; it must lie beside the model, in '{}'.",
                            location, t.name(), base.string()));
  return path;
}

}  // namespace

void attach_external_data(ModelData& model, const fs::path& folder) {
  std::map<std::string, std::shared_ptr<const MappedFile>> files;
  for_each_tensor(model.proto, [&](onnx::TensorProto& t) {
    if (t.data_location() != onnx::TensorProto::EXTERNAL) return;
    const Entry entry = read_entry(t);
    const uint64_t size = payload_size(t);
    if (entry.length && *entry.length != size)
      throw Error(ErrorKind::format,
                  fmt::format("the tensor '{}' has {} bytes of external data, "
                              "where its type and shape need {}",
                              t.name(), *entry.length, size));
    t.clear_data_location();
    t.clear_external_data();
    t.clear_raw_data();
    if (size == 0) return;
    auto& file = files[entry.location];
    if (!file) {
      file = MappedFile::open(resolve(folder, t, entry.location));
      model.external_bytes += file->bytes().size();
    }
    const uint64_t have = file->bytes().size();
    if (entry.offset > have || size > have - entry.offset)
      throw Error(ErrorKind::format,
                  fmt::format("the tensor '{}' needs bytes {} to {} of '{}', "
                              "which has only {}; the file is cut off: copy "
                              "or download it again",
                              t.name(), entry.offset, entry.offset + size,
                              entry.location, have));
    t.set_blob(model.add_blob(
        view_blob(file->bytes().subspan(entry.offset, size), file)));
  });
}

bool may_be_external(const onnx::TensorProto& tensor, uint64_t size) {
  const auto type = static_cast<DType>(tensor.data_type());
  const bool looked_into = type == DType::int64 || type == DType::int32;
  return size >= (looked_into ? kLargeIndices : kSmallest);
}

void set_external(onnx::TensorProto& tensor, const std::string& location,
                  uint64_t offset, uint64_t length) {
  const auto add = [&](const char* key, std::string value) {
    auto* e = tensor.add_external_data();
    e->set_key(key);
    e->set_value(std::move(value));
  };
  tensor.clear_blob();
  tensor.clear_external_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  add("location", location);
  add("offset", std::to_string(offset));
  add("length", std::to_string(length));
}

}  // namespace octavo
