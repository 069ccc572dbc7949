// Whatever can run a model. `open_session` (octavo/runtime.h) gives one over
// ONNX Runtime; tests use a fake.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "octavo/value.h"

namespace octavo {

// One call's inputs by name; the order does not matter.
struct Feed {
  std::vector<std::pair<std::string, Value>> inputs;
};

// One call of a model, made ready to be repeated and timed: it runs, and throws
// the outputs away. Throws what Runner::run throws.
using PreparedCall = std::function<void()>;

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
  // Does once what need not be done at every call. The feed and the Runner
  // must outlive the call; one call is for one thread.
  virtual PreparedCall prepare(const Feed& feed) {
    return [this, &feed] { run(feed); };
  }
};

}  // namespace octavo
