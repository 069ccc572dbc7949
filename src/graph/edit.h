// Edits of a model's graphs, collected first and made at once: new
// initializers, nodes that replace a node or open a graph, unique names. What
// the edits left without a user is removed; what had none before stays.
#pragma once

#include <map>
#include <memory_resource>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/constant.h"
#include "graph/index.h"

namespace octavo {

using NodeList = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

class GraphEdit {
 public:
  explicit GraphEdit(GraphIndex& index);

  // A name that no value and no node of any scope has: `wish`, or `wish` with
  // a number behind it. The same wish twice gives two names.
  std::string unique_name(const std::string& wish);

  // Adds an initializer to a scope's graph; its name must be unique already.
  void add_initializer(const Scope& scope, onnx::TensorProto tensor);
  // Nodes that are put here stand first in the scope's graph; they may use
  // initializers only.
  NodeList& opening(const Scope& scope);
  // Nodes that are put here replace that node; they give all of its outputs
  // that are used.
  NodeList& replace(const Scope& scope, int node);
  // Says that this constant has one user less; if it was the last one, it goes,
  // with the nodes that only served it.
  void release(const Constant& constant);
  // Removes an initializer or a Constant node whose value something else will
  // give under the same name.
  void remove(const Definition& constant);
  // Makes sure that the model imports a domain.
  void import_domain(const std::string& domain, int64_t version);

  // Makes the edits. The index is stale from here on.
  void apply();

 private:
  // Node lists share the model's arena, so that nodes move without a copy.
  struct ScopeEdits {
    explicit ScopeEdits(google::protobuf::Arena* arena) : opening(arena) {}
    NodeList opening;
    std::map<int, NodeList> replaced;
    std::set<std::string> removed_initializers;
  };

  ScopeEdits& edits(const Scope& scope);
  // How often the candidates, and what their nodes read, are read.
  std::unordered_map<std::string_view, int> count_uses() const;
  void remove_unused();

  GraphIndex& index_;
  // Names are many and small, and all of them go with the edit.
  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::unordered_set<std::string_view> names_{&memory_};
  std::map<onnx::GraphProto*, ScopeEdits> edits_;
  // Values that may be without a user after the edits, by graph. The arena
  // keeps the names even of nodes that are removed.
  std::map<onnx::GraphProto*, std::unordered_set<std::string_view>> candidates_;
};

}  // namespace octavo
