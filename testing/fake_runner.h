// Runners and samples for tests that need no ONNX Runtime: a runner is a
// function, a source is a list of batches.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "octavo/runner.h"
#include "octavo/samples.h"

namespace octavo::testing {

inline Port port(const std::string& name, DType type = DType::float32) {
  Port p;
  p.name = name;
  p.type = type;
  p.has_rank = false;
  return p;
}

class FakeRunner : public Runner {
 public:
  using Function = std::function<std::vector<Value>(const Feed&)>;

  FakeRunner(std::vector<Port> inputs, std::vector<Port> outputs, Function run)
      : inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        run_(std::move(run)) {}

  const std::vector<Port>& inputs() const override { return inputs_; }
  const std::vector<Port>& outputs() const override { return outputs_; }
  std::vector<Value> run(const Feed& feed) override {
    ++runs;
    return run_(feed);
  }

  int runs = 0;

 private:
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  Function run_;
};

// One input "x", one output "y" that is f(x).
inline FakeRunner tensor_runner(std::function<Value(const Tensor&)> f) {
  return FakeRunner({port("x")}, {port("y")}, [f](const Feed& feed) {
    return std::vector<Value>{f(feed.inputs.at(0).second.tensor)};
  });
}

class ListSource : public SampleSource {
 public:
  std::vector<Batch> list;
  bool generated = false;

  // Adds a batch with one tensor "x"; `count` samples follow the last ones.
  ListSource& add(Tensor x, int64_t count = 1) {
    Batch b;
    b.first = samples();
    b.count = count;
    b.name = "batch " + std::to_string(list.size());
    b.feed.inputs.emplace_back("x", std::move(x));
    list.push_back(std::move(b));
    return *this;
  }

  int64_t batches() const override { return std::ssize(list); }
  int64_t samples() const override {
    int64_t n = 0;
    for (const Batch& b : list) n += b.count;
    return n;
  }
  Batch batch(int64_t index) const override {
    return list.at(static_cast<size_t>(index));
  }
  bool synthetic() const override { return generated; }
  std::string description() const override {
    return std::to_string(samples()) + " samples of a list";
  }
};

}  // namespace octavo::testing
