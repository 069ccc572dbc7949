// Which kernels of a model as the runtime runs it do the work of which nodes
// of the original: fusions swallow nodes, and a quantized node becomes a
// chain, so neither names nor counts agree. Its door: `pair_kernels`.
//
// A kernel serves the values of the original that it makes, or that those make
// to which its outputs go. Where a value of the original is made by no kernel,
// its node was swallowed by the one that uses it. Nodes that are one in either
// model are one group, so that like stands beside like:
//
//   original        Conv -> Relu        as it runs: one kernel, Conv
//   copy            ConvInteger -> Cast -> Mul -> Relu
//   the group       {Conv, Relu}: one kernel beside four
#pragma once

#include <map>
#include <string>
#include <vector>

#include "octavo/model.h"

namespace octavo {

// By kernel's name: the groups that it serves, each with an equal share of its
// time. A kernel that serves none is missing.
using Served = std::map<std::string, std::vector<int>>;

struct KernelPairing {
  std::vector<std::vector<int>> groups;  // nodes of the original's graph
  std::vector<Served> models;            // in the order of `running`
};

// `running`: the graphs that the runtime really runs (optimized_model), of the
// original and of copies of it.
KernelPairing pair_kernels(const Model& original,
                           const std::vector<const Model*>& running);

}  // namespace octavo
