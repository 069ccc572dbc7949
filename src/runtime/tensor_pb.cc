#include "runtime/tensor_pb.h"

#include <fmt/format.h>

#include <cstring>

#include "octavo/error.h"
#include "proto/onnx.pb.h"
#include "runtime/byte_source.h"

namespace octavo {
namespace {

[[noreturn]] void broken(const std::string& file, const std::string& why) {
  throw Error(
      ErrorKind::format,
      fmt::format("{} is not a sound ONNX TensorProto: {}.", file, why));
}

// Copies `values`, each cut to the low bytes that the element type has.
template <typename Field>
void take(const std::string& file, const Field& values, int64_t count,
          size_t width, std::vector<std::byte>& out) {
  if (values.size() != count)
    broken(file, fmt::format("its shape needs {} values, and it has {}", count,
                             values.size()));
  std::byte* to = out.data();
  for (const auto& value : values) {
    std::memcpy(to, &value, width);  // little-endian: the low bytes come first
    to += width;
  }
}

void take_typed(const std::string& file, const onnx::TensorProto& proto,
                Tensor& out) {
  const int64_t count = element_count(out.shape);
  switch (out.type) {
    case DType::float32:
      return take(file, proto.float_data(), count, 4, out.bytes);
    case DType::complex64:
      return take(file, proto.float_data(), 2 * count, 4, out.bytes);
    case DType::float64:
      return take(file, proto.double_data(), count, 8, out.bytes);
    case DType::complex128:
      return take(file, proto.double_data(), 2 * count, 8, out.bytes);
    case DType::int64:
      return take(file, proto.int64_data(), count, 8, out.bytes);
    case DType::uint32:
      return take(file, proto.uint64_data(), count, 4, out.bytes);
    case DType::uint64:
      return take(file, proto.uint64_data(), count, 8, out.bytes);
    case DType::int32:
      return take(file, proto.int32_data(), count, 4, out.bytes);
    case DType::int16:
    case DType::uint16:
    case DType::float16:
    case DType::bfloat16:
      return take(file, proto.int32_data(), count, 2, out.bytes);
    default:  // one byte each; packed 4- and 2-bit elements are whole bytes
      return take(file, proto.int32_data(),
                  static_cast<int64_t>(out.bytes.size()), 1, out.bytes);
  }
}

// A bool other than 0 and 1 is undefined behaviour further down.
void make_bools_clean(Tensor& tensor) {
  if (tensor.type == DType::boolean)
    for (std::byte& b : tensor.bytes) b = std::byte{b != std::byte{0}};
}

}  // namespace

NamedTensor read_tensor_pb(const std::filesystem::path& path) {
  const auto source = open_file_source(path);
  const std::string& file = source->name();
  if (source->size() > INT32_MAX)
    throw Error(ErrorKind::limit,
                fmt::format("{} has {} bytes, and a protobuf file at most "
                            "2 GiB - 1.",
                            file, source->size()));
  std::string text(static_cast<size_t>(source->size()), '\0');
  source->read(0, std::as_writable_bytes(std::span(text)));
  onnx::TensorProto proto;
  const bool parsed = proto.ParseFromString(text);
  text = {};
  // In a SequenceProto and an OptionalProto field 2 is a type and field 3 a
  // value, where a TensorProto has the long unused `segment`.
  if (!parsed || proto.has_segment() || !proto.has_data_type())
    broken(
        file,
        "a tensor was expected, and this is something else (sequences and "
        "optionals cannot be given as files; an array can be saved as .npy)");
  if (proto.data_location() == onnx::TensorProto::EXTERNAL)
    throw Error(ErrorKind::unsupported,
                fmt::format("{} keeps its data in another file; save it with "
                            "the data inside.",
                            file));
  NamedTensor out;
  out.name = proto.name();
  Tensor& tensor = out.tensor;
  tensor.type = static_cast<DType>(proto.data_type());
  tensor.shape.assign(proto.dims().begin(), proto.dims().end());
  if (tensor.type != DType::string && dtype_bits(tensor.type) == 0)
    broken(file, fmt::format("its element type is {}, which is none",
                             proto.data_type()));
  if (tensor.type == DType::string) {
    if (proto.string_data_size() != element_count(tensor.shape))
      broken(file,
             fmt::format("its shape {} does not fit its {} texts",
                         shape_text(tensor.shape), proto.string_data_size()));
    tensor.strings.assign(proto.string_data().begin(),
                          proto.string_data().end());
    return out;
  }
  const int64_t size = byte_size(tensor.type, tensor.shape);
  if (proto.has_raw_data()) {
    const std::string& raw = proto.raw_data();
    if (static_cast<int64_t>(raw.size()) != size)
      broken(file, fmt::format("its shape {} needs {} bytes, and it has {}",
                               shape_text(tensor.shape), size, raw.size()));
    const auto bytes = std::as_bytes(std::span(raw));
    tensor.bytes.assign(bytes.begin(), bytes.end());
    make_bools_clean(tensor);
    return out;
  }
  // Typed fields take at least a byte in the file for each element or pair, so
  // a shape that needs more than the file could give is a lie.
  if (size > 16 * source->size())
    broken(file, fmt::format("its shape {} needs {} bytes, more than the file "
                             "has",
                             shape_text(tensor.shape), size));
  tensor.bytes.resize(static_cast<size_t>(size));
  take_typed(file, proto, tensor);
  make_bools_clean(tensor);
  return out;
}

}  // namespace octavo
