// One model that computes any mixture of float and quantized layers: each
// layer becomes an If, on a bool input of its own, over both of its forms.
// One session of it evaluates every subset by what it is fed. Its door:
// `add_switches`.
//
//   Before   layer -> y
//   After    If(use) { copy's nodes -> y' } else { layer -> y'' } -> y
#pragma once

#include <string>
#include <vector>

#include "model/data.h"

namespace octavo {

// `nodes` are indices in the graph of `original`. Gives the name of the bool
// input, a scalar, that each got: true computes what `copy` has in its place.
// "" where a layer cannot be switched: what stands in its place in the copy
// cannot be taken out (see Graft). `copy` must outlive `original`.
std::vector<std::string> add_switches(Model& original, const Model& copy,
                                      const std::vector<int>& nodes);

}  // namespace octavo
