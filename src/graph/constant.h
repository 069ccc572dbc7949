// A constant is a constant however it arrives: as an initializer, from a
// Constant node, or behind Identity, Cast, Transpose, Reshape, Squeeze,
// Unsqueeze and Flatten of one. Resolving follows that chain without touching
// the payload, where the payload's own order will do.
#pragma once

#include <optional>
#include <vector>

#include "graph/index.h"

namespace octavo {

struct Constant {
  const Definition* source = nullptr;  // where the payload stands
  const onnx::TensorProto* tensor = nullptr;
  std::vector<const Definition*> chain;  // nodes passed, nearest first
  DType type = DType::undefined;         // after Casts
  Shape shape;                           // as the user of the value sees it
  // The payload is row-major of `shape` with its last two dimensions swapped.
  bool transposed = false;
  // Set where no order of the payload itself will do: the payload reordered.
  std::shared_ptr<const std::vector<std::byte>> reordered;

  DType stored_type() const { return static_cast<DType>(tensor->data_type()); }
};

// The constant behind `name` as seen in `scope`; empty where it is computed,
// fed or overridable. Never throws for odd graphs; a chain that cannot be
// followed is no constant.
std::optional<Constant> resolve_constant(const GraphIndex& index,
                                         const Scope* scope,
                                         std::string_view name);

// The constant's payload, row-major of `shape` (or transposed, see above).
Bytes constant_payload(const ModelData& model, const Constant& constant,
                       std::vector<std::byte>& storage);

// A small constant of int64 or int32, such as axes or a shape.
std::optional<std::vector<int64_t>> constant_ints(const GraphIndex& index,
                                                  const Scope* scope,
                                                  std::string_view name);

}  // namespace octavo
