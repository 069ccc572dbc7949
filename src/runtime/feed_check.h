// Whether what a caller feeds fits what a model declares: names, types, ranks,
// sizes. Its doors are `check_feed` and `check_fits`. Knows no runtime.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "octavo/runner.h"

namespace octavo {

// The value of each symbolic dimension met so far, and the input that set it.
struct BoundDims {
  struct From {
    int64_t value = 0;
    std::string input;
  };
  std::map<std::string, From> by_name;
};

// The names of ports, in order.
std::vector<std::string> port_names(const std::vector<Port>& ports);

// "'image' (float32 [batch,1,8,8]) and 'size' (int64 [2])"; "none".
std::string port_list(const std::vector<Port>& ports);

// Throws Error(usage) where a tensor of this type and shape cannot be fed to
// `port`, or disagrees with `bound` on a symbolic dimension; adds its own
// dimensions to `bound`. `where` names the file it came from, for the
// message; may be empty. Nothing is cast, no axis is added.
void check_fits(const Port& port, DType type, const Shape& shape,
                BoundDims& bound, const std::string& where = "");

// Checks a whole feed: a missing input, a name that is none, one given twice,
// and each value as above. Returns the values in the order of `inputs`.
// Throws Error(usage).
std::vector<const Value*> check_feed(const Feed& feed,
                                     const std::vector<Port>& inputs);

}  // namespace octavo
