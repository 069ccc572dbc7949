// What is inside a Model: the skeleton, the blobs that it names by number, and
// where it came from.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <type_traits>

#include "model/blob.h"
#include "model/mapped_file.h"
#include "octavo/model.h"
#include "proto/onnx.pb.h"

namespace octavo {

struct ModelData {
  static google::protobuf::ArenaOptions arena_options() {
    google::protobuf::ArenaOptions options;
    options.max_block_size = 1 << 20;  // models have up to a million nodes
    return options;
  }

  // Of the skeleton: freed as a whole.
  google::protobuf::Arena arena{arena_options()};
  onnx::ModelProto& proto =
      *google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&arena);
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

// Calls visit(graph) for a graph and for the bodies of its nodes at every
// depth, outer ones first. `Graph` is onnx::GraphProto, const or not.
template <typename Graph, typename Visit>
void for_each_graph(Graph& graph, const Visit& visit) {
  visit(graph);
  if constexpr (std::is_const_v<Graph>) {
    for (const auto& node : graph.node())
      for (const auto& a : node.attribute()) {
        if (a.has_g()) for_each_graph(a.g(), visit);
        for (const auto& g : a.graphs()) for_each_graph(g, visit);
      }
  } else {
    for (auto& node : *graph.mutable_node())
      for (auto& a : *node.mutable_attribute()) {
        if (a.has_g()) for_each_graph(*a.mutable_g(), visit);
        for (auto& g : *a.mutable_graphs()) for_each_graph(g, visit);
      }
  }
}

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
