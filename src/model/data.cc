#include "model/data.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "octavo/error.h"

namespace octavo {
namespace {

static_assert(std::endian::native == std::endian::little,
              "payloads are used in place, in ONNX's little-endian order");

using Visit = std::function<void(onnx::TensorProto&)>;

void visit_sparse(onnx::SparseTensorProto& sparse, const Visit& visit) {
  if (sparse.has_values()) visit(*sparse.mutable_values());
  if (sparse.has_indices()) visit(*sparse.mutable_indices());
}

// The tensors of an attribute; its graphs are visited as graphs.
void visit_attribute(onnx::AttributeProto& a, const Visit& visit) {
  if (a.has_t()) visit(*a.mutable_t());
  for (auto& t : *a.mutable_tensors()) visit(t);
  if (a.has_sparse_tensor()) visit_sparse(*a.mutable_sparse_tensor(), visit);
  for (auto& s : *a.mutable_sparse_tensors()) visit_sparse(s, visit);
}

void visit_graph(onnx::GraphProto& root, const Visit& visit) {
  for_each_graph(root, [&](onnx::GraphProto& graph) {
    for (auto& t : *graph.mutable_initializer()) visit(t);
    for (auto& s : *graph.mutable_sparse_initializer()) visit_sparse(s, visit);
    for (auto& node : *graph.mutable_node())
      for (auto& a : *node.mutable_attribute()) visit_attribute(a, visit);
  });
}

// An attribute of a function, with the graphs in it.
void visit_whole_attribute(onnx::AttributeProto& a, const Visit& visit) {
  visit_attribute(a, visit);
  if (a.has_g()) visit_graph(*a.mutable_g(), visit);
  for (auto& g : *a.mutable_graphs()) visit_graph(g, visit);
}

template <typename To, typename From>
void pack(const From& values, std::vector<std::byte>& out) {
  out.resize(static_cast<size_t>(values.size()) * sizeof(To));
  std::byte* p = out.data();
  for (const auto v : values) {
    const To t = static_cast<To>(v);
    std::memcpy(p, &t, sizeof t);
    p += sizeof t;
  }
}

// The typed field that onnx.proto names for each type.
void unpack_typed(const onnx::TensorProto& t, std::vector<std::byte>& out) {
  switch (static_cast<DType>(t.data_type())) {
    case DType::float32:
    case DType::complex64:
      return pack<float>(t.float_data(), out);
    case DType::float64:
    case DType::complex128:
      return pack<double>(t.double_data(), out);
    case DType::int64:
      return pack<int64_t>(t.int64_data(), out);
    case DType::uint64:
      return pack<uint64_t>(t.uint64_data(), out);
    case DType::uint32:
      return pack<uint32_t>(t.uint64_data(), out);
    case DType::int32:
      return pack<int32_t>(t.int32_data(), out);
    case DType::float16:
    case DType::bfloat16:
    case DType::int16:
    case DType::uint16:
      return pack<uint16_t>(t.int32_data(), out);
    default:  // one byte an entry: 8-bit types, bool, and packed nibbles
      return pack<uint8_t>(t.int32_data(), out);
  }
}

}  // namespace

void for_each_tensor(onnx::ModelProto& model, const Visit& visit) {
  if (model.has_graph()) visit_graph(*model.mutable_graph(), visit);
  for (auto& f : *model.mutable_functions()) {
    for (auto& node : *f.mutable_node())
      for (auto& a : *node.mutable_attribute()) visit_whole_attribute(a, visit);
    for (auto& a : *f.mutable_attribute_proto())
      visit_whole_attribute(a, visit);
  }
  for (auto& t : *model.mutable_training_info()) {
    if (t.has_initialization()) visit_graph(*t.mutable_initialization(), visit);
    if (t.has_algorithm()) visit_graph(*t.mutable_algorithm(), visit);
  }
}

Shape shape_of(const onnx::TensorProto& tensor) {
  return {tensor.dims().begin(), tensor.dims().end()};
}

uint64_t payload_size(const onnx::TensorProto& tensor) {
  return static_cast<uint64_t>(
      byte_size(static_cast<DType>(tensor.data_type()), shape_of(tensor)));
}

Bytes payload(const ModelData& model, const onnx::TensorProto& tensor,
              std::vector<std::byte>& storage) {
  Bytes bytes;
  if (tensor.has_blob()) {
    const Blob& blob = model.blobs.at(tensor.blob());
    if (blob.lazy) {
      storage.resize(blob.size);
      fill_blob(blob, 0, storage);
      bytes = storage;
    } else {
      bytes = blob.view;
    }
  } else if (tensor.has_raw_data()) {
    bytes = std::as_bytes(std::span(tensor.raw_data()));
  } else {
    unpack_typed(tensor, storage);
    bytes = storage;
  }
  if (bytes.size() != payload_size(tensor))
    throw Error(
        ErrorKind::format,
        fmt::format("the tensor '{}' has {} bytes of data, where {} {} need "
                    "{}; the model is damaged: export it again",
                    tensor.name(), bytes.size(),
                    dtype_name(static_cast<DType>(tensor.data_type())),
                    shape_text(shape_of(tensor)), payload_size(tensor)));
  return bytes;
}

}  // namespace octavo
