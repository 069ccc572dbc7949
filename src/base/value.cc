#include "octavo/value.h"

#include <fmt/format.h>

namespace octavo {

std::string_view value_kind_name(ValueKind kind) noexcept {
  switch (kind) {
    case ValueKind::tensor:
      return "tensor";
    case ValueKind::sequence:
      return "sequence";
    case ValueKind::map:
      return "map";
    case ValueKind::none:
      break;
  }
  return "none";
}

std::string value_text(const Value& value) {
  switch (value.kind) {
    case ValueKind::tensor:
      return fmt::format("{} {}", dtype_name(value.tensor.type),
                         shape_text(value.tensor.shape));
    case ValueKind::sequence:
      return fmt::format("sequence of {}", value.items.size());
    case ValueKind::map:
      return fmt::format(
          "map of {}",
          value.items.empty() ? 0 : element_count(value.items[0].tensor.shape));
    case ValueKind::none:
      break;
  }
  return "none";
}

std::string port_text(const Port& port) {
  if (port.kind == ValueKind::none) return "an optional or unknown type";
  if (port.kind != ValueKind::tensor)
    return std::string(value_kind_name(port.kind));
  if (!port.has_rank)
    return fmt::format("{} of any rank or none", dtype_name(port.type));
  std::string out = fmt::format("{} [", dtype_name(port.type));
  for (size_t i = 0; i < port.dims.size(); ++i) {
    const Dim& dim = port.dims[i];
    if (i > 0) out += ',';
    if (dim.value >= 0)
      out += std::to_string(dim.value);
    else
      out += dim.name.empty() ? "?" : dim.name;
  }
  return out + "]";
}

}  // namespace octavo
