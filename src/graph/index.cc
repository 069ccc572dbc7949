#include "graph/index.h"

#include <fmt/format.h>

#include "octavo/error.h"

namespace octavo {

std::string_view domain_of(const onnx::NodeProto& node) {
  return node.domain() == "ai.onnx" ? std::string_view() : node.domain();
}

bool is_op(const onnx::NodeProto& node, std::string_view type) {
  return node.op_type() == type && domain_of(node).empty();
}

const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node,
                                           std::string_view name) {
  for (const auto& a : node.attribute())
    if (a.name() == name) return &a;
  return nullptr;
}

int64_t int_attribute(const onnx::NodeProto& node, std::string_view name,
                      int64_t otherwise) {
  const auto* a = find_attribute(node, name);
  return a ? a->i() : otherwise;
}

float float_attribute(const onnx::NodeProto& node, std::string_view name,
                      float otherwise) {
  const auto* a = find_attribute(node, name);
  return a ? a->f() : otherwise;
}

const std::string& input_name(const onnx::NodeProto& node, int i) {
  static const std::string kNone;
  return i < node.input_size() ? node.input(i) : kNone;
}

int64_t opset_of(const onnx::ModelProto& model) {
  int64_t opset = 0;
  bool seen = false;
  for (const auto& o : model.opset_import()) {
    if (!o.domain().empty() && o.domain() != "ai.onnx") continue;
    if (seen && o.version() != opset)
      throw Error(ErrorKind::format,
                  fmt::format("the model imports two versions of ONNX's own "
                              "operators, {} and {}; one was expected",
                              opset, o.version()));
    opset = o.version();
    seen = true;
  }
  return opset;
}

GraphIndex::GraphIndex(ModelData& model)
    : model_(model), opset_(opset_of(model.proto)) {
  enter(*model.proto.mutable_graph(), nullptr, "");
  for (const auto& scope : scopes_) add_uses(*scope);
}

void GraphIndex::define(Scope& scope, Definition::Kind kind,
                        const std::string& name, int index) {
  if (name.empty()) return;  // an optional output that is not wanted
  auto [at, fresh] = scope.values.try_emplace(name);
  Definition& slot = at->second;
  // ONNX Runtime takes the last of several initializers of one name.
  const bool again = kind == slot.kind && kind != Definition::Kind::input &&
                     kind != Definition::Kind::node;
  if (!fresh && !again)
    throw Error(
        ErrorKind::format,
        fmt::format("the value '{}' is defined twice in the same "
                    "graph{}{}, which ONNX forbids",
                    name, scope.path.empty() ? "" : " at ", scope.path));
  slot = {kind, &scope, name, index, {}};
}

void GraphIndex::enter(onnx::GraphProto& graph, Scope* parent,
                       std::string path) {
  scopes_.push_back(std::make_unique<Scope>());
  Scope& scope = *scopes_.back();
  scope.graph = &graph;
  scope.parent = parent;
  scope.path = std::move(path);

  scope.values.reserve(static_cast<size_t>(graph.initializer_size()) +
                       static_cast<size_t>(graph.node_size()));
  std::unordered_set<std::string_view> inputs;
  for (const auto& i : graph.input()) inputs.insert(i.name());
  for (int i = 0; i < graph.initializer_size(); ++i) {
    const auto& name = graph.initializer(i).name();
    // Until IR 3 every initializer had to stand among the inputs as well.
    const bool overridable = ir_version() >= 4 && inputs.contains(name);
    define(scope,
           overridable ? Definition::Kind::overridable
                       : Definition::Kind::initializer,
           name, i);
  }
  for (int i = 0; i < graph.sparse_initializer_size(); ++i)
    define(scope, Definition::Kind::sparse,
           graph.sparse_initializer(i).values().name(), i);
  for (int i = 0; i < graph.input_size(); ++i)
    if (!scope.values.contains(graph.input(i).name()))
      define(scope, Definition::Kind::input, graph.input(i).name(), i);
  for (int i = 0; i < graph.node_size(); ++i) {
    auto& node = *graph.mutable_node(i);
    for (const auto& output : node.output())
      define(scope, Definition::Kind::node, output, i);
    for (auto& a : *node.mutable_attribute()) {
      const auto below = [&] {
        return fmt::format(
            "{}{}{}.{}", scope.path, scope.path.empty() ? "" : "/",
            node.name().empty() ? fmt::format("{}#{}", node.op_type(), i)
                                : node.name(),
            a.name());
      };
      if (a.has_g()) enter(*a.mutable_g(), &scope, below());
      for (auto& g : *a.mutable_graphs()) enter(g, &scope, below());
    }
  }
}

void GraphIndex::add_uses(Scope& scope) {
  const auto use = [&](const std::string& name, int node, int input) {
    if (const Definition* d = find(&scope, name))
      const_cast<Definition*>(d)->uses.push_back({&scope, node, input});
  };
  for (int i = 0; i < scope.graph->node_size(); ++i) {
    const auto& node = scope.graph->node(i);
    for (int k = 0; k < node.input_size(); ++k) use(node.input(k), i, k);
  }
  for (int i = 0; i < scope.graph->output_size(); ++i)
    use(scope.graph->output(i).name(), -1, i);
}

const Definition* GraphIndex::find(const Scope* scope,
                                   std::string_view name) const {
  if (name.empty()) return nullptr;
  for (; scope; scope = scope->parent) {
    const auto it = scope->values.find(name);
    if (it != scope->values.end()) return &it->second;
  }
  return nullptr;
}

onnx::TensorProto* GraphIndex::tensor(const Definition& d) const {
  if (d.kind == Definition::Kind::initializer)
    return d.scope->graph->mutable_initializer(d.index);
  if (d.kind != Definition::Kind::node) return nullptr;
  auto& node = d.scope->node(d.index);
  if (!is_op(node, "Constant")) return nullptr;
  for (auto& a : *node.mutable_attribute())
    if (a.name() == "value" && a.has_t()) return a.mutable_t();
  return nullptr;
}

}  // namespace octavo
