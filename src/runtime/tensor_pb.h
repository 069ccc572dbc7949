// ONNX TensorProto files, as test_data_set_* folders hold them. Its door is
// `read_tensor_pb`.
#pragma once

#include <filesystem>
#include <string>

#include "octavo/tensor.h"

namespace octavo {

struct NamedTensor {
  std::string name;  // as the file has it; often an input's name
  Tensor tensor;
};

// Reads a TensorProto: raw_data or the typed fields, any element type. Throws
// Error(io), Error(format) where it is none or its data do not fit its shape,
// Error(unsupported) for sequences, optionals and external data.
NamedTensor read_tensor_pb(const std::filesystem::path& path);

}  // namespace octavo
