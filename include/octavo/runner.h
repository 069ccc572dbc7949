// Whatever can run a model. `open_session` (octavo/runtime.h) gives one over
// ONNX Runtime; tests use a fake.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "octavo/value.h"

namespace octavo {

// One call's inputs by name; the order does not matter.
struct Feed {
  std::vector<std::pair<std::string, Value>> inputs;
};

class Runner {
 public:
  virtual ~Runner() = default;
  // Inputs that a caller must feed, in the model's order (initializers that
  // may be overridden are not among them).
  virtual const std::vector<Port>& inputs() const = 0;
  virtual const std::vector<Port>& outputs() const = 0;
  // One value per output, in order. Throws Error(runtime) with the runtime's
  // own words, Error(usage) for a feed that does not fit the declared inputs.
  virtual std::vector<Value> run(const Feed& feed) = 0;
};

}  // namespace octavo
