#include "graph/edit.h"

#include <algorithm>
#include <unordered_map>

namespace octavo {
namespace {

// Calls name(const std::string&) for all that a graph and its bodies name.
template <typename Name>
void for_each_name(const onnx::GraphProto& root, const Name& name) {
  for_each_graph(root, [&](const onnx::GraphProto& graph) {
    for (const auto& v : graph.input()) name(v.name());
    for (const auto& v : graph.output()) name(v.name());
    for (const auto& v : graph.value_info()) name(v.name());
    for (const auto& t : graph.initializer()) name(t.name());
    for (const auto& t : graph.sparse_initializer()) name(t.values().name());
    for (const auto& n : graph.node()) {
      name(n.name());
      for (const auto& i : n.input()) name(i);
      for (const auto& o : n.output()) name(o);
    }
  });
}

// Keeps the elements of a repeated field for which keep(element) holds.
template <typename Field, typename Keep>
void keep_if(Field& field, const Keep& keep) {
  int kept = 0;
  for (int i = 0; i < field.size(); ++i)
    if (keep(field.Get(i))) {
      if (kept != i) field.SwapElements(kept, i);
      ++kept;
    }
  field.DeleteSubrange(kept, field.size() - kept);
}

// How often a graph and its bodies read each name.
std::unordered_map<std::string, int> count_uses(const onnx::GraphProto& root) {
  std::unordered_map<std::string, int> uses;
  uses.reserve(static_cast<size_t>(root.node_size()) * 2);
  for_each_graph(root, [&](const onnx::GraphProto& graph) {
    for (const auto& v : graph.output()) ++uses[v.name()];
    for (const auto& n : graph.node())
      for (const auto& i : n.input()) ++uses[i];
  });
  return uses;
}

}  // namespace

GraphEdit::GraphEdit(GraphIndex& index) : index_(index) {
  const auto& graph = index.model().proto.graph();
  // Room for the names of the edits, too: a table that grows is filled anew.
  size_t count = 0;
  for_each_name(graph, [&](const std::string&) { ++count; });
  names_.reserve(2 * count);
  for_each_name(graph, [&](const std::string& n) { names_.insert(n); });
  names_.insert("");
}

std::string GraphEdit::unique_name(const std::string& wish) {
  std::string& name = made_.emplace_back(wish);
  for (int i = 1; names_.contains(name); ++i)
    name = wish + "_" + std::to_string(i);
  names_.insert(name);
  return name;
}

void GraphEdit::add_initializer(const Scope& scope, onnx::TensorProto tensor) {
  // Until IR 3 an initializer had to be listed as an input, too. A body has
  // only the inputs that its node feeds, and so no initializers; it sees the
  // outer graph's.
  onnx::GraphProto* graph = scope.graph;
  if (index_.ir_version() < 4) {
    graph = index_.model().proto.mutable_graph();
    auto* input = graph->add_input();
    input->set_name(tensor.name());
    auto* type = input->mutable_type()->mutable_tensor_type();
    type->set_elem_type(tensor.data_type());
    for (const int64_t d : tensor.dims())
      type->mutable_shape()->add_dim()->set_dim_value(d);
    type->mutable_shape();
  }
  *graph->add_initializer() = std::move(tensor);
}

void GraphEdit::add_opening_node(const Scope& scope, onnx::NodeProto node) {
  edits_[scope.graph].opening.push_back(std::move(node));
}

void GraphEdit::replace(const Scope& scope, int node,
                        std::vector<onnx::NodeProto> with) {
  edits_[scope.graph].replaced[node] = std::move(with);
}

void GraphEdit::release(const Constant& constant) {
  for (const Definition* d : constant.chain)
    candidates_[d->scope->graph].insert(std::string(d->name));
  candidates_[constant.source->scope->graph].insert(
      std::string(constant.source->name));
}

void GraphEdit::remove(const Definition& constant) {
  auto& edits = edits_[constant.scope->graph];
  if (constant.kind == Definition::Kind::node)
    edits.replaced[constant.index] = {};
  else
    edits.removed_initializers.emplace(constant.name);
}

void GraphEdit::import_domain(const std::string& domain, int64_t version) {
  auto& model = index_.model().proto;
  for (const auto& o : model.opset_import())
    if (o.domain() == domain) return;
  auto* o = model.add_opset_import();
  o->set_domain(domain);
  o->set_version(version);
}

void GraphEdit::apply() {
  for (auto& [graph, edits] : edits_) {
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    nodes.Reserve(graph->node_size() + static_cast<int>(edits.opening.size()));
    for (auto& n : edits.opening) *nodes.Add() = std::move(n);
    auto next = edits.replaced.begin();
    for (int i = 0; i < graph->node_size(); ++i) {
      if (next != edits.replaced.end() && next->first == i) {
        for (auto& n : next->second) *nodes.Add() = std::move(n);
        ++next;
      } else {
        nodes.Add()->Swap(graph->mutable_node(i));
      }
    }
    // Swapped nodes keep the addresses of their bodies, which are edited too.
    graph->mutable_node()->Swap(&nodes);
    if (edits.removed_initializers.empty()) continue;
    const auto stays = [&removed = edits.removed_initializers](const auto& v) {
      return !removed.contains(v.name());
    };
    keep_if(*graph->mutable_initializer(), stays);
    keep_if(*graph->mutable_input(), stays);
  }
  remove_unused();
}

void GraphEdit::remove_unused() {
  auto& root = *index_.model().proto.mutable_graph();
  auto uses = count_uses(root);
  // Names are counted over all scopes together: a name that is used in some
  // scope keeps its namesakes, which errs on the side of keeping.
  for (bool again = true; again;) {
    again = false;
    for (auto& candidate : candidates_) {
      onnx::GraphProto* graph = candidate.first;
      auto& names = candidate.second;
      const auto unused = [&](const std::string& name) {
        const auto it = uses.find(name);
        return names.contains(name) && (it == uses.end() || it->second == 0);
      };
      keep_if(*graph->mutable_node(), [&](const onnx::NodeProto& n) {
        if (n.output_size() != 1 || !unused(n.output(0))) return true;
        for (const auto& i : n.input()) {
          --uses[i];
          names.insert(i);
        }
        again = true;
        return false;
      });
      std::unordered_set<std::string> gone;
      keep_if(*graph->mutable_initializer(), [&](const onnx::TensorProto& t) {
        if (!unused(t.name())) return true;
        gone.insert(t.name());
        return false;
      });
      const auto stays = [&](const onnx::ValueInfoProto& v) {
        return !gone.contains(v.name());
      };
      if (!gone.empty()) keep_if(*graph->mutable_input(), stays);
    }
  }
  // Nothing may be said of values that are no more.
  for (auto& [graph, names] : candidates_) {
    std::unordered_set<std::string_view> defined;
    for (const auto& t : graph->initializer()) defined.insert(t.name());
    for (const auto& v : graph->input()) defined.insert(v.name());
    for (const auto& n : graph->node())
      defined.insert(n.output().begin(), n.output().end());
    keep_if(*graph->mutable_value_info(), [&](const onnx::ValueInfoProto& v) {
      return defined.contains(v.name());
    });
    keep_if(*graph->mutable_quantization_annotation(),
            [&](const onnx::TensorAnnotation& a) {
              return defined.contains(a.tensor_name());
            });
  }
}

}  // namespace octavo
