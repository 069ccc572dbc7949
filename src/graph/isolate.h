// A model that computes what its quantized copy's nodes make of its own,
// undisturbed values: the error of one layer by itself. Doors: `add_isolated`
// and `set_outputs`.
#pragma once

#include <string>
#include <vector>

#include "model/data.h"

namespace octavo {

// `values` are made by nodes of both models' graphs. For each, the copy's nodes
// behind it are added to `original`, back to where they read what `original`
// computes as well. Gives the names of the new values, "" where that cannot
// be: more nodes than a quantized layer has, bodies or functions among them, or
// other versions of the operators. `copy` must outlive `original`.
std::vector<std::string> add_isolated(Model& original, const Model& copy,
                                      const std::vector<std::string>& values);

// Makes these the graph's outputs, and no others. Types that are not declared
// are left to the runtime to find.
void set_outputs(Model& model, const std::vector<std::string>& values);

}  // namespace octavo
