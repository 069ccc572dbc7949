#include "graph/switch.h"

#include <map>
#include <set>

#include "graph/graft.h"
#include "octavo/tensor.h"

namespace octavo {
namespace {

// Outputs of a node that anything reads. An If needs no others.
std::vector<std::string> used_outputs(const GraphIndex& index,
                                      const Scope& root,
                                      const onnx::NodeProto& node) {
  std::vector<std::string> out;
  for (const auto& name : node.output()) {
    if (name.empty()) continue;
    const Definition* d = index.find(&root, name);
    if (d && !d->uses.empty()) out.push_back(name);
  }
  return out;
}

onnx::GraphProto& add_branch(onnx::NodeProto& node, const char* name) {
  auto* a = node.add_attribute();
  a->set_name(name);
  a->set_type(onnx::AttributeProto::GRAPH);
  a->mutable_g()->set_name(name);
  return *a->mutable_g();
}

// What is known of values: an output of a body must have a type where the
// runtime cannot tell.
std::map<std::string, onnx::ValueInfoProto> declared(
    const onnx::GraphProto& graph) {
  std::map<std::string, onnx::ValueInfoProto> out;
  for (const auto& v : graph.value_info()) out[v.name()] = v;
  for (const auto& v : graph.output()) out[v.name()] = v;
  return out;
}

}  // namespace

std::vector<std::string> add_switches(Model& original, const Model& copy,
                                      const std::vector<int>& nodes) {
  std::vector<std::string> out(nodes.size());
  Graft graft(original, copy, "switched/");
  const Scope& root = graft.root();
  const auto known = declared(*root.graph);
  const auto add_output = [&](onnx::GraphProto& body, const std::string& value,
                              const std::string& name) {
    auto* o = body.add_output();
    if (const auto it = known.find(value); it != known.end()) *o = it->second;
    // Only the type counts: the forms may know more or less of the shape.
    if (o->has_type() && o->type().has_tensor_type())
      o->mutable_type()->mutable_tensor_type()->clear_shape();
    o->set_name(name);
  };
  std::vector<std::string> inputs;
  std::set<int> done;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const onnx::NodeProto& layer = root.node(nodes[i]);
    const auto outputs = used_outputs(graft.index(), root, layer);
    if (outputs.empty() || !done.insert(nodes[i]).second) continue;
    const auto behind = graft.behind(outputs);
    if (!behind) continue;

    onnx::NodeProto choice;
    choice.set_op_type("If");
    choice.set_name(graft.edit().unique_name("switch/" + outputs.front()));
    out[i] = graft.edit().unique_name("use/" + outputs.front());
    inputs.push_back(out[i]);
    choice.add_input(out[i]);
    for (const auto& name : outputs) choice.add_output(name);

    onnx::GraphProto& quantized = add_branch(choice, "then_branch");
    for (const int k : behind->nodes) *quantized.add_node() = graft.node(k);
    graft.add_tensors(behind->tensors);
    for (const auto& name : outputs)
      add_output(quantized, name, graft.new_name(name));
    graft.forget_names();

    onnx::GraphProto& plain = add_branch(choice, "else_branch");
    onnx::NodeProto& node = *plain.add_node();
    node = layer;
    for (auto& name : *node.mutable_output())
      if (!name.empty()) name = graft.edit().unique_name("float/" + name);
    for (const auto& name : outputs)
      for (int o = 0; o < layer.output_size(); ++o)
        if (layer.output(o) == name) add_output(plain, name, node.output(o));
    *graft.edit().replace(root, nodes[i]).Add() = std::move(choice);
  }
  graft.import_domains();
  graft.edit().apply();
  for (const auto& name : inputs) {
    auto* v = original.data().proto.mutable_graph()->add_input();
    v->set_name(name);
    auto* t = v->mutable_type()->mutable_tensor_type();
    t->set_elem_type(static_cast<int>(DType::boolean));
    t->mutable_shape();
  }
  return out;
}

}  // namespace octavo
