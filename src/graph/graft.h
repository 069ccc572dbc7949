// What a quantized copy has in place of an original's layer: the copy's nodes
// behind a value, back to where they read what the original computes as well.
// The cut is by whether the original's value depends on what is fed, never by
// name alone: a stored weight has one name in both, and must be the copy's.
// Its users add it beside the layer (isolate.h) or as a branch (switch.h).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "graph/edit.h"
#include "graph/index.h"

namespace octavo {

class Graft {
 public:
  // Both must outlive the graft, and `original` must keep its nodes until
  // all is asked of it. New values are named `prefix` + the copy's name.
  Graft(Model& original, const Model& copy, std::string prefix);

  // Nodes and initializers of the copy's graph, by index.
  struct Behind {
    std::set<int> nodes, tensors;
  };

  // What makes these values in the copy; empty where that cannot be grafted:
  // other versions of the operators, more nodes than a quantized layer has,
  // bodies or functions among them, values that depend on nothing fed.
  std::optional<Behind> behind(std::span<const std::string> values) const;

  // A copy of node `index` of the copy, its values renamed, without a name.
  onnx::NodeProto node(int index);
  // The name that a value of the copy has once it is grafted.
  std::string new_name(const std::string& name);
  // From here on, values that are no initializers get other names.
  void forget_names();

  // Adds initializers to the original's graph, each once, and the domains of
  // operators that the copy uses.
  void add_tensors(const std::set<int>& tensors);
  void import_domains();

  GraphEdit& edit() { return edit_; }
  const GraphIndex& index() const { return to_index_; }
  const Scope& root() const { return *to_index_.scopes().front(); }

 private:
  bool follow(const std::string& name, bool end, Behind& behind) const;
  void take_blob(onnx::TensorProto& t);

  ModelData &to_, &from_;
  GraphIndex to_index_, from_index_;
  GraphEdit edit_;
  std::string prefix_;
  bool same_versions_;
  std::set<std::string, std::less<>> computed_;  // by the original
  std::set<std::string> functions_;  // domains that the copy's stand in
  std::set<int> added_;              // tensors
  std::map<std::string, std::string> names_, tensor_names_;
};

}  // namespace octavo
