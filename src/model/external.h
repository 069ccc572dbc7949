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

// Whether a tensor of so many bytes is better off in a data file. Shapes and
// axes are not: runtimes look into them while they load the graph, and some
// refuse to follow them to another file.
bool may_be_external(const onnx::TensorProto& tensor, uint64_t size);

// Points `tensor` at a range of a data file.
void set_external(onnx::TensorProto& tensor, const std::string& location,
                  uint64_t offset, uint64_t length);

}  // namespace octavo
