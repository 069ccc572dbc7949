// Random small models, by seed: operators with weights in all their forms,
// weights that arrive by odd ways, are shared, are outputs or may be
// overridden, bodies, odd names, odd values, element types and opsets. And what
// a quantized copy of one owes: node by node, from the very inputs that the
// node has in the copy, the float operator's answer within the bound that the
// scales allow.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "octavo/plan.h"
#include "octavo/runtime.h"
#include "testing/tiny_model.h"

namespace octavo::testing {

struct RandomGraph {
  std::unique_ptr<TinyModel> model;
  Feed feed;
  Recipe recipe;
  std::string text;  // what it is made of, a line a step
};

// The first `steps` of the graph that the seed stands for, and all of it for a
// large number. `newest` is the newest opset to use.
RandomGraph random_graph(uint64_t seed, int steps, int64_t newest);

// Steps that random_graph(seed, ..) takes at most.
constexpr int kMaxSteps = 8;

struct Verdict {
  std::string fault;  // "" where all is well
  bool ran = false;   // the original did, on this runtime
  int quantized = 0;  // nodes
  int checked = 0;    // nodes whose answers were held to a bound
};

// Quantizes, loads, runs and judges.
Verdict judge(const RandomGraph& graph,
              const std::shared_ptr<Runtime>& runtime);

// The smallest number of steps that still fails, and its verdict.
std::pair<int, Verdict> minimised(uint64_t seed, int64_t newest,
                                  const std::shared_ptr<Runtime>& runtime);

}  // namespace octavo::testing
