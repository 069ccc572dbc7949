// Edits of a model's graphs, collected first and made at once: new
// initializers, nodes that replace a node or open a graph, unique names. What
// the edits left without a user is removed; what had none before stays.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "graph/constant.h"
#include "graph/index.h"

namespace octavo {

class GraphEdit {
 public:
  explicit GraphEdit(GraphIndex& index);

  // A name that no value and no node of any scope has: `wish`, or `wish` with
  // a number behind it. The same wish twice gives two names.
  std::string unique_name(const std::string& wish);

  // Adds an initializer to a scope's graph; its name must be unique already.
  void add_initializer(const Scope& scope, onnx::TensorProto tensor);
  // Nodes to stand first in the scope's graph; they may use initializers only.
  void add_opening_node(const Scope& scope, onnx::NodeProto node);
  // Replaces a node; the new nodes give all the outputs that are used.
  void replace(const Scope& scope, int node, std::vector<onnx::NodeProto> with);
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
  struct ScopeEdits {
    std::vector<onnx::NodeProto> opening;
    std::map<int, std::vector<onnx::NodeProto>> replaced;
    std::set<std::string> removed_initializers;
  };

  void remove_unused();

  GraphIndex& index_;
  std::unordered_set<std::string_view> names_;  // the model's, and `made_`
  std::deque<std::string> made_;
  std::map<onnx::GraphProto*, ScopeEdits> edits_;
  // Values that may be without a user after the edits, by graph.
  std::map<onnx::GraphProto*, std::unordered_set<std::string>> candidates_;
};

}  // namespace octavo
