#include "graph/edit.h"

#include <algorithm>

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

// Takes all nodes out of a list.
std::vector<onnx::NodeProto*> take(NodeList& nodes) {
  std::vector<onnx::NodeProto*> out(static_cast<size_t>(nodes.size()));
  nodes.UnsafeArenaExtractSubrange(0, nodes.size(), out.data());
  return out;
}

// Moves nodes to the end of another list of the same arena.
void append(NodeList& from, NodeList& to) {
  for (auto* n : take(from)) to.UnsafeArenaAddAllocated(n);
}

}  // namespace

GraphEdit::GraphEdit(GraphIndex& index) : index_(index) {
  const auto& graph = index.model().proto.graph();
  // Room for the names of the edits, too: a table that grows is filled anew.
  size_t count = 0;
  for_each_name(graph, [&](const std::string&) { ++count; });
  names_.reserve(4 * count);
  for_each_name(graph, [&](const std::string& n) { names_.insert(n); });
  names_.insert("");
}

std::string GraphEdit::unique_name(const std::string& wish) {
  const auto take = [&](const std::string& name) {
    auto* kept = static_cast<char*>(memory_.allocate(name.size(), 1));
    return names_.emplace(kept, name.copy(kept, name.size())).second;
  };
  std::string name = wish;
  for (int i = 1; !take(name); ++i) name = wish + "_" + std::to_string(i);
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

GraphEdit::ScopeEdits& GraphEdit::edits(const Scope& scope) {
  return edits_.try_emplace(scope.graph, &index_.model().arena).first->second;
}

NodeList& GraphEdit::opening(const Scope& scope) {
  return edits(scope).opening;
}

NodeList& GraphEdit::replace(const Scope& scope, int node) {
  return edits(scope)
      .replaced.try_emplace(node, &index_.model().arena)
      .first->second;
}

void GraphEdit::release(const Constant& constant) {
  for (const Definition* d : constant.chain)
    candidates_[d->scope->graph].insert(d->name);
  candidates_[constant.source->scope->graph].insert(constant.source->name);
}

void GraphEdit::remove(const Definition& constant) {
  if (constant.kind == Definition::Kind::node)
    replace(*constant.scope, constant.index);
  else
    edits(*constant.scope).removed_initializers.emplace(constant.name);
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
    // Nodes keep their addresses, and so do their bodies, which are edited too.
    NodeList& nodes = *graph->mutable_node();
    const auto old = take(nodes);
    append(edits.opening, nodes);
    auto next = edits.replaced.begin();
    for (size_t i = 0; i < old.size(); ++i) {
      if (next != edits.replaced.end() && next->first == static_cast<int>(i)) {
        append(next->second, nodes);
        ++next;
      } else {
        nodes.UnsafeArenaAddAllocated(old[i]);
      }
    }
    if (edits.removed_initializers.empty()) continue;
    const auto stays = [&removed = edits.removed_initializers](const auto& v) {
      return !removed.contains(v.name());
    };
    keep_if(*graph->mutable_initializer(), stays);
    keep_if(*graph->mutable_input(), stays);
  }
  remove_unused();
}

// Names are counted over all scopes together: a name that is used in some
// scope keeps its namesakes, which errs on the side of keeping.
std::unordered_map<std::string_view, int> GraphEdit::count_uses() const {
  std::unordered_map<std::string_view, int> uses;
  for (const auto& [graph, names] : candidates_) {
    for (const auto name : names) uses.emplace(name, 0);
    for (int i = graph->node_size(); i-- > 0;) {
      const auto& n = graph->node(i);
      if (n.output_size() != 1 || !uses.contains(n.output(0))) continue;
      for (const auto& input : n.input()) uses.emplace(input, 0);
    }
  }
  const auto count = [&](const std::string& name) {
    const auto it = uses.find(name);
    if (it != uses.end()) ++it->second;
  };
  const onnx::GraphProto& root = index_.model().proto.graph();
  for_each_graph(root, [&](const onnx::GraphProto& graph) {
    for (const auto& v : graph.output()) count(v.name());
    for (const auto& n : graph.node())
      for (const auto& i : n.input()) count(i);
  });
  return uses;
}

void GraphEdit::remove_unused() {
  auto uses = count_uses();
  for (bool again = true; again;) {
    again = false;
    for (auto& candidate : candidates_) {
      onnx::GraphProto* graph = candidate.first;
      auto& names = candidate.second;
      const auto unused = [&](const std::string& name) {
        if (!names.contains(name)) return false;
        const auto it = uses.find(name);
        return it != uses.end() && it->second == 0;
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
      std::unordered_set<std::string_view> gone;
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
    if (graph->value_info().empty() && graph->quantization_annotation().empty())
      continue;
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
