#include "compare/pairing.h"

#include <fmt/format.h>

#include "base/names.h"
#include "octavo/error.h"

namespace octavo {
namespace {

const Port* find(const std::vector<Port>& ports, const std::string& name) {
  for (const Port& port : ports)
    if (port.name == name) return &port;
  return nullptr;
}

std::vector<std::string> names_of(const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const Port& port : ports) names.push_back(port.name);
  return names;
}

}  // namespace

Pairing pair_outputs(const Runner& reference, const Runner& candidate) {
  Pairing p;
  const auto& theirs = candidate.outputs();
  for (size_t i = 0; i < reference.outputs().size(); ++i) {
    const std::string& name = reference.outputs()[i].name;
    if (const Port* port = find(theirs, name))
      p.pairs.push_back({name, i, static_cast<size_t>(port - theirs.data())});
    else
      p.only_reference.push_back(name);
  }
  for (const Port& port : theirs)
    if (!find(reference.outputs(), port.name))
      p.only_candidate.push_back(port.name);
  if (p.pairs.empty())
    throw Error(ErrorKind::usage,
                fmt::format("the two models have no output name in common: the "
                            "original gives {}, the copy {}",
                            name_list(names_of(reference.outputs())),
                            name_list(names_of(candidate.outputs()))));
  return p;
}

void check_same_inputs(const Runner& reference, const Runner& candidate) {
  for (const Port& mine : reference.inputs()) {
    const Port* other = find(candidate.inputs(), mine.name);
    if (!other)
      throw Error(
          ErrorKind::usage,
          fmt::format("the original takes an input '{}', but the copy "
                      "takes {}; only models of the same inputs can "
                      "be compared",
                      mine.name, name_list(names_of(candidate.inputs()))));
    if (mine.kind != other->kind || mine.type != other->type)
      throw Error(
          ErrorKind::usage,
          fmt::format("the input '{}' is {} in the original and {} in the "
                      "copy; the same samples cannot feed both",
                      mine.name, dtype_name(mine.type),
                      dtype_name(other->type)));
  }
  for (const Port& other : candidate.inputs())
    if (!find(reference.inputs(), other.name))
      throw Error(
          ErrorKind::usage,
          fmt::format("the copy needs an input '{}', but the original "
                      "takes {}; only models of the same inputs can "
                      "be compared",
                      other.name, name_list(names_of(reference.inputs()))));
}

}  // namespace octavo
