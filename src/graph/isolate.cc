#include "graph/isolate.h"

#include <map>
#include <set>

#include "graph/edit.h"
#include "graph/index.h"

namespace octavo {
namespace {

constexpr size_t kMostNodes = 64;  // of one layer; a quantized LSTM has some 20

bool has_body(const onnx::NodeProto& node) {
  for (const auto& a : node.attribute())
    if (a.has_g() || a.graphs_size() > 0) return true;
  return false;
}

// Values of the graph that depend on what it is fed.
std::set<std::string_view> computed_values(const GraphIndex& index) {
  std::set<std::string_view> out;
  const Scope& root = *index.scopes().front();
  for (const auto& [name, d] : root.values)
    if (d->kind == Definition::Kind::input) out.insert(name);
  for (const auto& node : root.graph->node()) {
    bool computed = has_body(node);
    for (const auto& input : node.input())
      computed = computed || out.contains(input);
    if (computed) out.insert(node.output().begin(), node.output().end());
  }
  return out;
}

// Operators mean the same in both models.
bool same_versions(const onnx::ModelProto& a, const onnx::ModelProto& b) {
  std::map<std::string, int64_t> versions;
  const auto key = [](const std::string& domain) {
    return domain == "ai.onnx" ? std::string() : domain;
  };
  for (const auto& o : a.opset_import())
    versions[key(o.domain())] = o.version();
  for (const auto& o : b.opset_import()) {
    const auto it = versions.find(key(o.domain()));
    if (it != versions.end() && it->second != o.version()) return false;
  }
  return true;
}

class Isolation {
 public:
  // The index of `copy` only reads.
  Isolation(Model& original, const Model& copy)
      : to_(original.data()),
        from_(const_cast<ModelData&>(copy.data())),
        to_index_(to_),
        from_index_(from_),
        edit_(to_index_),
        computed_(computed_values(to_index_)) {
    for (const auto& f : from_.proto.functions()) functions_.insert(f.domain());
  }

  // Takes in what stands behind `value`; false where it cannot be isolated.
  bool take(const std::string& value) {
    Behind behind;
    if (!computed_.contains(value) || !follow(value, true, behind))
      return false;
    nodes_.insert(behind.nodes.begin(), behind.nodes.end());
    tensors_.insert(behind.tensors.begin(), behind.tensors.end());
    return true;
  }

  // Adds all that was taken in.
  void finish() {
    const Scope& root = *to_index_.scopes().front();
    for (const int i : tensors_) {
      onnx::TensorProto t = from_.proto.graph().initializer(i);
      take_blob(t);
      t.set_name(new_name(t.name()));
      edit_.add_initializer(root, std::move(t));
    }
    for (const auto& o : from_.proto.opset_import())
      if (!o.domain().empty() && o.domain() != "ai.onnx")
        edit_.import_domain(o.domain(), o.version());
    std::vector<onnx::NodeProto> added;
    for (const int i : nodes_) {
      onnx::NodeProto node = from_.proto.graph().node(i);
      node.clear_name();
      for (auto& input : *node.mutable_input())
        if (!input.empty() && !computed_.contains(input))
          input = new_name(input);
      for (auto& output : *node.mutable_output())
        if (!output.empty()) output = new_name(output);
      for (auto& a : *node.mutable_attribute())
        if (a.has_t()) take_blob(*a.mutable_t());
      added.push_back(std::move(node));
    }
    for (auto& node : added) *root.graph->add_node() = std::move(node);
  }

  std::string new_name(const std::string& name) {
    auto& out = names_[name];
    if (out.empty()) out = edit_.unique_name("isolated/" + name);
    return out;
  }

 private:
  struct Behind {
    std::set<int> nodes, tensors;  // of the copy's graph
  };

  bool follow(const std::string& name, bool end, Behind& behind) {
    if (name.empty() || (!end && computed_.contains(name))) return true;
    const Scope* root = from_index_.scopes().front().get();
    const Definition* d = from_index_.find(root, name);
    if (!d) return false;
    switch (d->kind) {
      case Definition::Kind::initializer:
      case Definition::Kind::overridable:
        behind.tensors.insert(d->index);
        return true;
      case Definition::Kind::node:
        break;
      default:
        return false;
    }
    const auto& node = root->node(d->index);
    if (!behind.nodes.insert(d->index).second) return true;
    if (behind.nodes.size() > kMostNodes || has_body(node) ||
        functions_.contains(node.domain()))
      return false;
    for (const auto& a : node.attribute())
      if (a.tensors_size() > 0 || a.has_sparse_tensor()) return false;
    for (const auto& input : node.input())
      if (!follow(input, false, behind)) return false;
    return true;
  }

  void take_blob(onnx::TensorProto& t) {
    if (t.has_blob()) t.set_blob(to_.add_blob(from_.blobs.at(t.blob())));
  }

  ModelData &to_, &from_;
  GraphIndex to_index_, from_index_;
  GraphEdit edit_;
  std::set<std::string_view> computed_;
  std::set<std::string> functions_;  // domains that the copy's stand in
  std::set<int> nodes_, tensors_;    // in the copy's order
  std::map<std::string, std::string> names_;
};

}  // namespace

std::vector<std::string> add_isolated(Model& original, const Model& copy,
                                      const std::vector<std::string>& values) {
  std::vector<std::string> out(values.size());
  if (!same_versions(original.data().proto, copy.data().proto)) return out;
  Isolation isolation(original, copy);
  for (size_t i = 0; i < values.size(); ++i)
    if (isolation.take(values[i])) out[i] = isolation.new_name(values[i]);
  isolation.finish();
  return out;
}

void set_outputs(Model& model, const std::vector<std::string>& values) {
  auto& graph = *model.data().proto.mutable_graph();
  std::map<std::string, onnx::ValueInfoProto> known;
  for (const auto& v : graph.value_info()) known[v.name()] = v;
  for (const auto& v : graph.output()) known[v.name()] = v;
  graph.clear_output();
  for (const std::string& name : values) {
    auto* output = graph.add_output();
    if (const auto it = known.find(name); it != known.end())
      *output = it->second;
    output->set_name(name);
  }
}

}  // namespace octavo
