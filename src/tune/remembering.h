// A runner that runs no feed twice: the original's answers are asked for by
// every candidate. Within a budget of memory; beyond it, it runs again.
#pragma once

#include <map>
#include <string>

#include "octavo/runner.h"

namespace octavo {

class RememberingRunner : public Runner {
 public:
  // `runner` must outlive this.
  RememberingRunner(Runner& runner, uint64_t most_bytes)
      : runner_(runner), left_(most_bytes) {}

  const std::vector<Port>& inputs() const override { return runner_.inputs(); }
  const std::vector<Port>& outputs() const override {
    return runner_.outputs();
  }
  // Not for several threads at once.
  std::vector<Value> run(const Feed& feed) override;

 private:
  Runner& runner_;
  uint64_t left_;
  std::map<std::string, std::vector<Value>> known_;  // by the feed's SHA-256
};

// A text that tells feeds apart: by names, types, shapes and all bytes.
std::string feed_key(const Feed& feed);

}  // namespace octavo
