#include "graph/graft.h"

namespace octavo {
namespace {

constexpr size_t kMostNodes = 64;  // of one layer; a quantized LSTM has some 20

bool has_body(const onnx::NodeProto& node) {
  for (const auto& a : node.attribute())
    if (a.has_g() || a.graphs_size() > 0) return true;
  return false;
}

// Values of the graph that depend on what it is fed.
std::set<std::string, std::less<>> computed_values(const GraphIndex& index) {
  std::set<std::string, std::less<>> out;
  const Scope& root = *index.scopes().front();
  for (const auto& [name, d] : root.values)
    if (d.kind == Definition::Kind::input) out.emplace(name);
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

}  // namespace

// The index of `copy` only reads.
Graft::Graft(Model& original, const Model& copy, std::string prefix)
    : to_(original.data()),
      from_(const_cast<ModelData&>(copy.data())),
      to_index_(to_),
      from_index_(from_),
      edit_(to_index_),
      prefix_(std::move(prefix)),
      same_versions_(same_versions(to_.proto, from_.proto)),
      computed_(computed_values(to_index_)) {
  for (const auto& f : from_.proto.functions()) functions_.insert(f.domain());
}

std::optional<Graft::Behind> Graft::behind(
    std::span<const std::string> values) const {
  Behind out;
  if (!same_versions_) return std::nullopt;
  for (const std::string& value : values)
    if (!computed_.contains(value) || !follow(value, true, out))
      return std::nullopt;
  return out;
}

bool Graft::follow(const std::string& name, bool end, Behind& behind) const {
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

onnx::NodeProto Graft::node(int index) {
  onnx::NodeProto node = from_.proto.graph().node(index);
  node.clear_name();
  for (auto& input : *node.mutable_input())
    if (!input.empty() && !computed_.contains(input)) input = new_name(input);
  for (auto& output : *node.mutable_output())
    if (!output.empty()) output = new_name(output);
  for (auto& a : *node.mutable_attribute())
    if (a.has_t()) take_blob(*a.mutable_t());
  return node;
}

void Graft::forget_names() { names_ = tensor_names_; }

std::string Graft::new_name(const std::string& name) {
  auto& out = names_[name];
  if (out.empty()) out = edit_.unique_name(prefix_ + name);
  return out;
}

void Graft::add_tensors(const std::set<int>& tensors) {
  for (const int i : tensors) {
    if (!added_.insert(i).second) continue;
    onnx::TensorProto t = from_.proto.graph().initializer(i);
    take_blob(t);
    const std::string name = new_name(t.name());
    tensor_names_[t.name()] = name;
    t.set_name(name);
    edit_.add_initializer(root(), std::move(t));
  }
}

void Graft::import_domains() {
  for (const auto& o : from_.proto.opset_import())
    if (!o.domain().empty() && o.domain() != "ai.onnx")
      edit_.import_domain(o.domain(), o.version());
}

void Graft::take_blob(onnx::TensorProto& t) {
  if (t.has_blob()) t.set_blob(to_.add_blob(from_.blobs.at(t.blob())));
}

}  // namespace octavo
