// External data: a tensor's entries (location, offset, length) turned into
// blobs over mapped files, by ONNX Runtime's rule for paths: inside the
// model's folder, symbolic links resolved.
#pragma once

#include "model/data.h"

namespace octavo {

// Replaces the external entries of each tensor of `model` by blobs. Throws
// Error(io) or Error(format), naming the tensor and the file.
void attach_external_data(ModelData& model,
                          const std::filesystem::path& folder);

// Points `tensor` at a range of a data file.
void set_external(onnx::TensorProto& tensor, const std::string& location,
                  uint64_t offset, uint64_t length);

}  // namespace octavo
