// Values and declared types, to and from ONNX Runtime. Private to this floor.
#pragma once

#include <vector>

#include "octavo/value.h"
#include "runtime/runtime_impl.h"

namespace octavo {

// Element types: ONNX Runtime's numbers are ONNX's but for the last three.
// Unknown numbers give DType::undefined and
// ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED.
DType dtype_from_ort(int type) noexcept;
ONNXTensorElementDataType dtype_to_ort(DType type) noexcept;

// What a declared input or output takes.
Port port_from_ort(const OrtApi& api, std::string name,
                   const OrtTypeInfo* info);

// A value that the runtime can read, and what keeps its memory.
struct BoundValue {
  OrtOwned<OrtValue> value;
  std::vector<std::byte> aligned;  // a copy, where the bytes were misaligned
  std::vector<BoundValue> items;   // of a sequence or map
};

// Binds a tensor without copying (`value` must outlive the result); strings,
// sequences and maps are copied. `name` is for messages. Throws
// Error(unsupported) for what the runtime cannot be given.
BoundValue bind_value(const Runtime& runtime, const Value& value,
                      const std::string& name);

// Copies a value out of the runtime. Throws Error(unsupported) for sparse and
// opaque ones.
Value value_from_ort(const Runtime& runtime, const OrtValue* value,
                     const std::string& name);

}  // namespace octavo
