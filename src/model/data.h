// What is inside a Model: the skeleton, the blobs that it names by number, and
// where it came from.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "model/blob.h"
#include "model/mapped_file.h"
#include "octavo/model.h"
#include "proto/onnx.pb.h"

namespace octavo {

struct ModelData {
  onnx::ModelProto proto;
  BlobTable blobs;
  std::filesystem::path path;              // empty: from memory
  Bytes source;                            // the model file's own bytes
  std::shared_ptr<const MappedFile> file;  // null: the caller keeps them
  uint64_t external_bytes = 0;

  uint64_t add_blob(Blob blob) {
    blobs.push_back(std::move(blob));
    return blobs.size() - 1;
  }
};

// Calls visit(tensor) for each TensorProto of the model: initializers, sparse
// ones, constants in attributes, in subgraphs and functions alike.
void for_each_tensor(onnx::ModelProto& model,
                     const std::function<void(onnx::TensorProto&)>& visit);

// Dimensions as they stand in the message, unchecked.
Shape shape_of(const onnx::TensorProto& tensor);

// Bytes of the payload in ONNX's raw_data layout; 0 for strings. Throws
// Error(format) for an impossible shape.
uint64_t payload_size(const onnx::TensorProto& tensor);

// The payload in raw_data layout: a view into a blob or into the message, or
// `storage` filled from typed fields. Throws Error(format), naming the tensor,
// where it does not have the bytes that its type and shape need. For a lazy
// blob, all of it is made.
Bytes payload(const ModelData& model, const onnx::TensorProto& tensor,
              std::vector<std::byte>& storage);

}  // namespace octavo
