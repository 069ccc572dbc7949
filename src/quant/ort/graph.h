// The graph as the walk of the preset sees it: names that exist, initializers
// by name, types of values as far as they are told, nodes written so far.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/constant.h"
#include "model/data.h"

namespace octavo::ort {

// Throws Error(unsupported): the peer would make `fault` of `node`.
[[noreturn]] void refuse(const std::string& node, const std::string& fault);

// "MatMul 'name'".
std::string node_words(const onnx::NodeProto& node);

// A node of the graph, with the place of the original node that it came from.
struct Node {
  onnx::NodeProto proto;
  int origin = -1;
};

class Graph {
 public:
  explicit Graph(ModelData& model);

  ModelData& model() { return model_; }
  onnx::GraphProto& proto() { return *model_.proto.mutable_graph(); }

  onnx::TensorProto* initializer(std::string_view name);
  // A float32 or float16 initializer, as the peer accepts for a weight.
  bool is_float_initializer(std::string_view name);
  // Its constant, turned over where a Gemm of transB uses it.
  Constant constant(const std::string& name);
  void turn_over(const std::string& name) { turned_.insert(name); }
  // A turned copy of a matrix, made once, by the name that it gets.
  std::string add_turned(const std::string& name);

  // Adds an initializer; its name must be free.
  void add(const std::string& owner, const std::string& name, DType type,
           const Shape& shape, Blob blob);
  template <typename T>
  void add_small(const std::string& owner, const std::string& name, DType type,
                 const Shape& shape, const std::vector<T>& values);

  // Says that a tensor of this name is made now; refuses where one exists.
  void take_name(const std::string& owner, const std::string& name);
  bool node_name_exists(const std::string& name) const {
    return node_names_.contains(name);
  }

  // How many nodes and outputs, of all scopes, read the value.
  int uses(const std::string& name) const;
  // Float32 or float16, as far as types are declared or can be followed.
  bool is_float(const std::string& name, int depth = 64);
  std::optional<DType> type_of(const std::string& name, int depth = 64);

  // Removes the initializers that nothing reads, as the peer does, and refuses
  // where something is read that nothing makes.
  void clean();
  // The transposed float weights of Gemms that stay float.
  void write_turned();

 private:
  ModelData& model_;
  std::unordered_map<std::string, onnx::TensorProto*> initializers_;
  std::unordered_map<std::string, const onnx::NodeProto*> makers_;
  std::unordered_map<std::string, int> declared_;  // element types
  std::unordered_map<std::string, int> uses_;
  std::unordered_set<std::string> names_, node_names_;
  std::set<std::string> turned_;
  std::map<std::string, std::string> turned_copies_, copied_from_;
  std::deque<Definition> definitions_;
  std::deque<onnx::NodeProto> originals_;
};

template <typename T>
void Graph::add_small(const std::string& owner, const std::string& name,
                      DType type, const Shape& shape,
                      const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty())
    std::copy_n(reinterpret_cast<const std::byte*>(values.data()), bytes.size(),
                bytes.data());
  add(owner, name, type, shape, owned_blob(std::move(bytes)));
}

}  // namespace octavo::ort
