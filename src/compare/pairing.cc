#include "compare/pairing.h"

#include <fmt/format.h>

#include <optional>

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

size_t require(const std::vector<Port>& ports, const std::string& name,
               const char* who) {
  if (const Port* port = find(ports, name))
    return static_cast<size_t>(port - ports.data());
  const auto names = names_of(ports);
  const std::string hint = did_you_mean(name, names);
  throw Error(
      ErrorKind::usage,
      fmt::format("--map names '{}', which is no output of the {}; "
                  "{}it has {}",
                  name, who, hint.empty() ? "" : hint + " ", name_list(names)));
}

bool alike(const Port& a, const Port& b) {
  return a.kind == b.kind && a.type == b.type &&
         (!a.has_rank || !b.has_rank || a.dims.size() == b.dims.size());
}

// What is left, in order, if all of it fits.
void pair_by_position(const std::vector<Port>& ours,
                      const std::vector<Port>& theirs,
                      std::vector<std::optional<OutputPair>>& pairs,
                      std::vector<bool>& taken) {
  std::vector<size_t> left, right;
  for (size_t i = 0; i < ours.size(); ++i)
    if (!pairs[i]) left.push_back(i);
  for (size_t k = 0; k < theirs.size(); ++k)
    if (!taken[k]) right.push_back(k);
  if (left.size() != right.size()) return;
  for (size_t n = 0; n < left.size(); ++n)
    if (!alike(ours[left[n]], theirs[right[n]])) return;
  for (size_t n = 0; n < left.size(); ++n) {
    pairs[left[n]] = {
        ours[left[n]].name, left[n], right[n],
        fmt::format("held against '{}', which stands at the same place",
                    theirs[right[n]].name)};
    taken[right[n]] = true;
  }
}

}  // namespace

Pairing pair_outputs(const Runner& reference, const Runner& candidate,
                     const OutputMap& map) {
  const auto& ours = reference.outputs();
  const auto& theirs = candidate.outputs();
  std::vector<std::optional<OutputPair>> pairs(ours.size());
  std::vector<bool> taken(theirs.size());
  for (const auto& [a, b] : map) {
    const size_t i = require(ours, a, "original"),
                 k = require(theirs, b, "copy");
    if (pairs[i] || taken[k])
      throw Error(ErrorKind::usage,
                  fmt::format("--map {}={} names an output that another --map "
                              "names, too; one partner each was expected",
                              a, b));
    taken[k] = true;
    pairs[i] = {a, i, k, a == b ? "" : fmt::format("held against '{}'", b)};
  }
  for (size_t i = 0; i < ours.size(); ++i)
    if (const Port* port = find(theirs, ours[i].name); port && !pairs[i]) {
      const auto k = static_cast<size_t>(port - theirs.data());
      if (taken[k]) continue;
      taken[k] = true;
      pairs[i] = {ours[i].name, i, k};
    }
  pair_by_position(ours, theirs, pairs, taken);
  Pairing p;
  for (size_t i = 0; i < ours.size(); ++i)
    if (pairs[i])
      p.pairs.push_back(std::move(*pairs[i]));
    else
      p.only_reference.push_back(ours[i].name);
  for (size_t k = 0; k < theirs.size(); ++k)
    if (!taken[k]) p.only_candidate.push_back(theirs[k].name);
  if (p.pairs.empty())
    throw Error(
        ErrorKind::usage,
        fmt::format("the two models have no outputs that belong together: the "
                    "original gives {}, the copy {}; --map A=B says which do",
                    name_list(names_of(ours)), name_list(names_of(theirs))));
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
