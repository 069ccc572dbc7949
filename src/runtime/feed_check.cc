#include "runtime/feed_check.h"

#include <fmt/format.h>

#include "base/names.h"
#include "octavo/error.h"

namespace octavo {
namespace {

[[noreturn]] void misfit(const Port& port, const std::string& found,
                         const std::string& where, const std::string& advice) {
  throw Error(
      ErrorKind::usage,
      fmt::format("the input '{}' is {}{}, but the model declares {}; {}.",
                  port.name, found, where.empty() ? "" : " in " + where,
                  port_text(port), advice));
}

std::string names_with_types(const std::vector<Port>& ports) {
  std::string out;
  for (size_t i = 0; i < ports.size(); ++i)
    out += fmt::format("{}'{}' ({})",
                       i == 0                  ? ""
                       : i + 1 == ports.size() ? " and "
                                               : ", ",
                       ports[i].name, port_text(ports[i]));
  return out.empty() ? "none" : out;
}

}  // namespace

std::vector<std::string> port_names(const std::vector<Port>& ports) {
  std::vector<std::string> out;
  for (const Port& port : ports) out.push_back(port.name);
  return out;
}

std::string port_list(const std::vector<Port>& ports) {
  return names_with_types(ports);
}

void check_fits(const Port& port, DType type, const Shape& shape,
                BoundDims& bound, const std::string& where) {
  if (port.kind == ValueKind::none) return;
  const std::string found =
      fmt::format("{} {}", dtype_name(type), shape_text(shape));
  if (port.kind != ValueKind::tensor)
    misfit(port, found, where, "a tensor does not fit");
  if (port.type != DType::undefined && type != port.type)
    misfit(port, found, where,
           fmt::format("convert it to {} first, for nothing is cast silently",
                       dtype_name(port.type)));
  if (!port.has_rank) return;
  if (shape.size() != port.dims.size())
    misfit(port, found, where,
           fmt::format("give it {} dimensions, not {}", port.dims.size(),
                       shape.size()));
  for (size_t i = 0; i < shape.size(); ++i) {
    const Dim& dim = port.dims[i];
    if (dim.value >= 0 && dim.value != shape[i])
      misfit(port, found, where,
             fmt::format("its dimension {} must be {}, not {}", i, dim.value,
                         shape[i]));
    if (dim.value >= 0 || dim.name.empty()) continue;
    const auto [it, fresh] = bound.by_name.try_emplace(
        dim.name, BoundDims::From{shape[i], port.name});
    if (!fresh && it->second.value != shape[i])
      misfit(port, found, where,
             it->second.input == port.name
                 ? fmt::format("its two dimensions '{}' are {} and {}",
                               dim.name, it->second.value, shape[i])
                 : fmt::format("its dimension '{}' is {}, and the input '{}' "
                               "made it {}",
                               dim.name, shape[i], it->second.input,
                               it->second.value));
  }
}

std::vector<const Value*> check_feed(const Feed& feed,
                                     const std::vector<Port>& inputs) {
  const std::vector<std::string> names = port_names(inputs);
  std::vector<const Value*> out(inputs.size(), nullptr);
  for (const auto& [name, value] : feed.inputs) {
    size_t i = 0;
    while (i < names.size() && names[i] != name) ++i;
    if (i == names.size()) {
      const std::string hint = did_you_mean(name, names);
      throw Error(
          ErrorKind::usage,
          fmt::format("the model has no input '{}'; {}{}its inputs "
                      "are {}.",
                      name, hint, hint.empty() ? "" : " ", port_list(inputs)));
    }
    if (out[i] != nullptr)
      throw Error(ErrorKind::usage,
                  fmt::format("the input '{}' is given twice.", name));
    out[i] = &value;
  }
  BoundDims bound;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Port& port = inputs[i];
    if (out[i] == nullptr) {
      std::vector<std::string> given;
      for (const auto& item : feed.inputs) given.push_back(item.first);
      throw Error(ErrorKind::usage,
                  fmt::format("the input '{}' ({}) is missing; given: {}.",
                              port.name, port_text(port), name_list(given)));
    }
    if (out[i]->kind == ValueKind::tensor)
      check_fits(port, out[i]->tensor.type, out[i]->tensor.shape, bound);
    else if (port.kind != ValueKind::none && port.kind != out[i]->kind)
      misfit(port, value_text(*out[i]), "",
             fmt::format("a {} is needed", value_kind_name(port.kind)));
  }
  return out;
}

}  // namespace octavo
