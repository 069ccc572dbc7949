#include "runtime/ort_values.h"

#include <fmt/format.h>

#include <cstring>

namespace octavo {
namespace {

// The API's enum as far as newer headers know it; ONNX put float8e8m0 before
// uint2 and int2, the runtime after them.
constexpr int kOrtUint2 = 24, kOrtInt2 = 25, kOrtFloat8E8M0 = 26;

size_t alignment_of(DType type) {
  const int bytes = dtype_bits(type) / 8;
  if (type == DType::complex64 || type == DType::complex128) return bytes / 2;
  return bytes > 0 ? static_cast<size_t>(bytes) : 1;
}

Port tensor_port(const OrtApi& api, Port port,
                 const OrtTensorTypeAndShapeInfo* shape) {
  const std::string what =
      fmt::format("the declared type of '{}' cannot be read", port.name);
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t rank = 0;
  check(api, api.GetTensorElementType(shape, &type), what);
  check(api, api.GetDimensionsCount(shape, &rank), what);
  std::vector<int64_t> dims(rank);
  std::vector<const char*> names(rank, nullptr);
  check(api, api.GetDimensions(shape, dims.data(), rank), what);
  check(api, api.GetSymbolicDimensions(shape, names.data(), rank), what);
  port.type = dtype_from_ort(type);
  port.has_rank = rank > 0;
  for (size_t i = 0; i < rank; ++i)
    port.dims.push_back(
        {dims[i] >= 0 ? dims[i] : -1, names[i] != nullptr ? names[i] : ""});
  return port;
}

Tensor strings_from_ort(const OrtApi& api, const OrtValue* value, Tensor out,
                        const std::string& what) {
  const size_t n = out.strings.size();
  if (n == 0) return out;
  size_t length = 0;
  check(api, api.GetStringTensorDataLength(value, &length), what);
  std::string all(length, '\0');
  std::vector<size_t> offsets(n);
  check(
      api,
      api.GetStringTensorContent(value, all.data(), length, offsets.data(), n),
      what);
  for (size_t i = 0; i < n; ++i) {
    const size_t end = i + 1 < n ? offsets[i + 1] : length;
    out.strings[i] = all.substr(offsets[i], end - offsets[i]);
  }
  return out;
}

Tensor tensor_from_ort(const OrtApi& api, const OrtValue* value,
                       const std::string& name) {
  const std::string what = fmt::format("the tensor '{}' cannot be read", name);
  const auto info = make_owned(api, api.ReleaseTensorTypeAndShapeInfo, what,
                               api.GetTensorTypeAndShape, value);
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t rank = 0;
  check(api, api.GetTensorElementType(info.get(), &type), what);
  check(api, api.GetDimensionsCount(info.get(), &rank), what);
  Tensor out;
  out.type = dtype_from_ort(type);
  out.shape.resize(rank);
  check(api, api.GetDimensions(info.get(), out.shape.data(), rank), what);
  if (out.type == DType::undefined)
    throw Error(ErrorKind::unsupported,
                fmt::format("the tensor '{}' has the element type {}, which "
                            "Octavo does not know.",
                            name, static_cast<int>(type)));
  if (out.type == DType::string) {
    out.strings.resize(static_cast<size_t>(element_count(out.shape)));
    return strings_from_ort(api, value, std::move(out), what);
  }
  const auto size = static_cast<size_t>(byte_size(out.type, out.shape));
  if (size == 0) return out;
  void* data = nullptr;
  // The API reads through this pointer; it only lacks a const overload.
  check(api, api.GetTensorMutableData(const_cast<OrtValue*>(value), &data),
        what);
  const auto* bytes = static_cast<const std::byte*>(data);
  out.bytes.assign(bytes, bytes + size);
  return out;
}

BoundValue bind_strings(const OrtApi& api, const Tensor& tensor,
                        const std::string& what) {
  OrtAllocator* allocator = nullptr;
  check(api, api.GetAllocatorWithDefaultOptions(&allocator), what);
  BoundValue out;
  out.value =
      make_owned(api, api.ReleaseValue, what, api.CreateTensorAsOrtValue,
                 allocator, tensor.shape.data(), tensor.shape.size(),
                 ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  for (size_t i = 0; i < tensor.strings.size(); ++i) {
    const std::string& text = tensor.strings[i];
    char* buffer = nullptr;  // unlike FillStringTensor it takes a NUL inside
    check(api,
          api.GetResizedStringTensorElementBuffer(out.value.get(), i,
                                                  text.size(), &buffer),
          what);
    std::memcpy(buffer, text.data(), text.size());
  }
  return out;
}

BoundValue bind_tensor(const Runtime& runtime, const Tensor& tensor,
                       const std::string& name) {
  const OrtApi& api = runtime.api();
  const std::string what =
      fmt::format("{} does not take the input '{}'", runtime.name(), name);
  const int64_t count = element_count(tensor.shape);
  if (tensor.type == DType::string
          ? static_cast<int64_t>(tensor.strings.size()) != count
          : static_cast<int64_t>(tensor.bytes.size()) !=
                byte_size(tensor.type, tensor.shape))
    throw Error(
        ErrorKind::usage,
        fmt::format("the input '{}' is {} {}, but its data have "
                    "another size.",
                    name, dtype_name(tensor.type), shape_text(tensor.shape)));
  if (tensor.type == DType::string) return bind_strings(api, tensor, what);

  BoundValue out;
  const std::byte* data = tensor.bytes.data();
  if (reinterpret_cast<uintptr_t>(data) % alignment_of(tensor.type) != 0) {
    out.aligned = tensor.bytes;  // a new allocation is aligned for any type
    data = out.aligned.data();
  }
  std::byte nothing{};  // the API refuses a null pointer, even for no bytes
  if (data == nullptr) data = &nothing;
  // The runtime only reads inputs; its API lacks a const overload.
  out.value = make_owned(
      api, api.ReleaseValue, what, api.CreateTensorWithDataAsOrtValue,
      runtime.cpu_memory(), const_cast<std::byte*>(data), tensor.bytes.size(),
      tensor.shape.data(), tensor.shape.size(), dtype_to_ort(tensor.type));
  return out;
}

}  // namespace

DType dtype_from_ort(int type) noexcept {
  switch (type) {
    case kOrtUint2:
      return DType::uint2;
    case kOrtInt2:
      return DType::int2;
    case kOrtFloat8E8M0:
      return DType::float8e8m0;
    default:
      return type > 0 && type <= static_cast<int>(DType::float4e2m1)
                 ? static_cast<DType>(type)
                 : DType::undefined;
  }
}

ONNXTensorElementDataType dtype_to_ort(DType type) noexcept {
  switch (type) {
    case DType::uint2:
      return static_cast<ONNXTensorElementDataType>(kOrtUint2);
    case DType::int2:
      return static_cast<ONNXTensorElementDataType>(kOrtInt2);
    case DType::float8e8m0:
      return static_cast<ONNXTensorElementDataType>(kOrtFloat8E8M0);
    default:
      return static_cast<ONNXTensorElementDataType>(type);
  }
}

Port port_from_ort(const OrtApi& api, std::string name,
                   const OrtTypeInfo* info) {
  Port port;
  port.name = std::move(name);
  port.has_rank = false;
  const std::string what =
      fmt::format("the declared type of '{}' cannot be read", port.name);
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  check(api, api.GetOnnxTypeFromTypeInfo(info, &kind), what);
  switch (kind) {
    case ONNX_TYPE_TENSOR: {
      const OrtTensorTypeAndShapeInfo* shape = nullptr;
      check(api, api.CastTypeInfoToTensorInfo(info, &shape), what);
      return tensor_port(api, std::move(port), shape);
    }
    case ONNX_TYPE_SEQUENCE:
      port.kind = ValueKind::sequence;
      return port;
    case ONNX_TYPE_MAP:
      port.kind = ValueKind::map;
      return port;
    default:
      port.kind = ValueKind::none;
      return port;
  }
}

BoundValue bind_value(const Runtime& runtime, const Value& value,
                      const std::string& name) {
  const OrtApi& api = runtime.api();
  if (value.kind == ValueKind::tensor)
    return bind_tensor(runtime, value.tensor, name);
  if (value.kind == ValueKind::none)
    throw Error(ErrorKind::unsupported,
                fmt::format("the input '{}' is empty, which ONNX Runtime's C "
                            "API cannot be told; give it a value.",
                            name));
  BoundValue out;
  std::vector<const OrtValue*> items;
  for (const Value& item : value.items)
    out.items.push_back(bind_value(runtime, item, name));
  for (const BoundValue& item : out.items) items.push_back(item.value.get());
  out.value = make_owned(
      api, api.ReleaseValue,
      fmt::format("{} does not take the input '{}'", runtime.name(), name),
      api.CreateValue, items.data(), items.size(),
      value.kind == ValueKind::map ? ONNX_TYPE_MAP : ONNX_TYPE_SEQUENCE);
  return out;
}

Value value_from_ort(const Runtime& runtime, const OrtValue* value,
                     const std::string& name) {
  const OrtApi& api = runtime.api();
  if (value == nullptr) return {};
  const std::string what = fmt::format("the value '{}' cannot be read", name);
  int present = 0;
  check(api, api.HasValue(value, &present), what);
  if (present == 0) return {};
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  check(api, api.GetValueType(value, &kind), what);
  if (kind == ONNX_TYPE_TENSOR) return tensor_from_ort(api, value, name);
  if (kind != ONNX_TYPE_SEQUENCE && kind != ONNX_TYPE_MAP)
    throw Error(ErrorKind::unsupported,
                fmt::format("the output '{}' is sparse or opaque, which Octavo "
                            "cannot read.",
                            name));
  Value out;
  out.kind = kind == ONNX_TYPE_MAP ? ValueKind::map : ValueKind::sequence;
  OrtAllocator* allocator = nullptr;
  check(api, api.GetAllocatorWithDefaultOptions(&allocator), what);
  size_t count = 0;
  check(api, api.GetValueCount(value, &count), what);
  for (size_t i = 0; i < count; ++i) {
    const auto item = make_owned(api, api.ReleaseValue, what, api.GetValue,
                                 value, static_cast<int>(i), allocator);
    out.items.push_back(value_from_ort(runtime, item.get(), name));
  }
  return out;
}

}  // namespace octavo
