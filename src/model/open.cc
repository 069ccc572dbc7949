// open_model: from a path to a skeleton and blobs. The file is scanned once;
// what is no ONNX model is told by what it is instead.
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <limits>

#include "model/data.h"
#include "model/external.h"
#include "model/mapped_file.h"
#include "octavo/error.h"
#include "proto/payloads.h"

namespace octavo {
namespace fs = std::filesystem;
namespace {

// What people pass by mistake, known by its first bytes.
const char* impostor(Bytes file) {
  const std::string_view head(reinterpret_cast<const char*>(file.data()),
                              std::min<size_t>(file.size(), 64));
  if (head.starts_with("PK\x03\x04"))
    return "this is a zip archive (perhaps a PyTorch checkpoint), where an "
           "ONNX model was expected; export the model to ONNX, or unpack the "
           "archive.";
  if (head.starts_with("\x1f\x8b"))
    return "this is a gzip archive, where an ONNX model was expected; unpack "
           "it first.";
  if (head.starts_with("version https://git-lfs"))
    return "this is a Git LFS pointer, where an ONNX model was expected; run "
           "`git lfs pull` to get the model itself.";
  if (head.starts_with("<") || head.starts_with("\xef\xbb\xbf<") ||
      head.starts_with("\n<"))
    return "this is a web page or XML, where an ONNX model was expected; "
           "download the model file itself.";
  if (head.starts_with("{"))
    return "this is JSON text, where an ONNX model was expected.";
  if (head.size() >= 8 && head.substr(4, 4) == "ORTM")
    return "this is ONNX Runtime's own .ort format, where an ONNX model was "
           "expected; use the .onnx file that it was made from.";
  if (head.size() >= 8 && head.substr(4, 4) == "TFL3")
    return "this is a TensorFlow Lite model, where an ONNX model was "
           "expected; convert it with tf2onnx.";
  if (head.starts_with("\x89HDF"))
    return "this is an HDF5 file (perhaps Keras), where an ONNX model was "
           "expected; export the model to ONNX.";
  return nullptr;
}

std::unique_ptr<ModelData> parse(Bytes file,
                                 std::shared_ptr<const MappedFile> owner,
                                 const fs::path& folder) {
  if (const char* what = impostor(file)) throw Error(ErrorKind::format, what);
  auto data = std::make_unique<ModelData>();
  data->source = file;
  data->file = owner;
  const CutModel cut = cut_payloads(file);
  if (cut.skeleton.size() > std::numeric_limits<int>::max())
    throw Error(ErrorKind::limit,
                "the model's structure alone, without its weights, is larger "
                "than protobuf's 2 GiB.");
  google::protobuf::io::ArrayInputStream stream(
      cut.skeleton.data(), static_cast<int>(cut.skeleton.size()));
  google::protobuf::io::CodedInputStream input(&stream);
  if (!data->proto.ParseFromCodedStream(&input) ||
      !input.ConsumedEntireMessage())
    throw Error(ErrorKind::format, "its protobuf data is damaged");
  if (!data->proto.has_graph())
    throw Error(ErrorKind::format,
                "it holds no graph, so it is no ONNX model; it may be cut off "
                "or of another format.");
  data->blobs.reserve(cut.payloads.size());
  for (const Bytes b : cut.payloads) data->add_blob(view_blob(b, owner));
  for_each_tensor(data->proto, [&](onnx::TensorProto& t) {
    if (!t.has_blob()) return;
    const uint64_t have = data->blobs.at(t.blob()).size;
    if (t.data_location() == onnx::TensorProto::EXTERNAL) {
      t.clear_blob();
    } else if (have != payload_size(t)) {
      throw Error(ErrorKind::format,
                  fmt::format("the tensor '{}' has {} bytes of data, where {} "
                              "{} need {}",
                              t.name(), have,
                              dtype_name(static_cast<DType>(t.data_type())),
                              shape_text(shape_of(t)), payload_size(t)));
    }
  });
  attach_external_data(*data, folder);
  return data;
}

}  // namespace

Model::Model(std::unique_ptr<ModelData> data) : data_(std::move(data)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

uint64_t Model::bytes() const {
  return data_->source.size() + data_->external_bytes;
}

Model open_model(const fs::path& path) {
  auto file = MappedFile::open(path);
  try {
    const fs::path folder =
        path.has_parent_path() ? path.parent_path() : fs::path(".");
    auto data = parse(file->bytes(), file, folder);
    data->path = path;
    return Model(std::move(data));
  } catch (const Error& e) {
    std::string text = fmt::format("{}: {}", path.string(), e.what());
    if (!text.ends_with('.'))
      text += "; it is cut off or damaged: export or download it again.";
    throw Error(e.kind(), text);
  }
}

Model open_model(Bytes bytes, const fs::path& folder) {
  return Model(parse(bytes, nullptr, folder));
}

}  // namespace octavo
