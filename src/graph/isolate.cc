#include "graph/isolate.h"

#include <map>
#include <set>

#include "graph/graft.h"

namespace octavo {

std::vector<std::string> add_isolated(Model& original, const Model& copy,
                                      const std::vector<std::string>& values) {
  std::vector<std::string> out(values.size());
  Graft graft(original, copy, "isolated/");
  Graft::Behind all;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto behind = graft.behind({&values[i], 1});
    if (!behind) continue;
    out[i] = graft.new_name(values[i]);
    all.nodes.insert(behind->nodes.begin(), behind->nodes.end());
    all.tensors.insert(behind->tensors.begin(), behind->tensors.end());
  }
  graft.add_tensors(all.tensors);
  graft.import_domains();
  std::vector<onnx::NodeProto> added;
  for (const int i : all.nodes) added.push_back(graft.node(i));
  for (auto& node : added) *graft.root().graph->add_node() = std::move(node);
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
