#include "graph/types.h"

namespace octavo {
namespace {

const onnx::TypeProto* declared_type(const Definition& d) {
  const auto& graph = *d.scope->graph;
  const auto among = [&](const auto& list) -> const onnx::TypeProto* {
    for (const auto& v : list)
      if (v.name() == d.name && v.has_type()) return &v.type();
    return nullptr;
  };
  if (const auto* t = among(graph.input())) return t;
  if (const auto* t = among(graph.value_info())) return t;
  return among(graph.output());
}

}  // namespace

std::optional<int64_t> declared_rank(const GraphIndex& index,
                                     const Scope* scope,
                                     std::string_view name) {
  const Definition* d = index.find(scope, name);
  if (!d) return {};
  if (const auto* t = index.tensor(*d)) return t->dims_size();
  const auto* type = declared_type(*d);
  if (!type || !type->has_tensor_type() || !type->tensor_type().has_shape())
    return {};
  return type->tensor_type().shape().dim_size();
}

}  // namespace octavo
