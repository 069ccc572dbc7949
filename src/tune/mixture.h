// Every mixture of two plans for one model, ready to run: `low` (float, or a
// milder form) and `high` differ at some nodes, the layers, and each of them
// may be taken from either. One session runs all mixtures (graph/switch.h);
// where a layer cannot be switched, mixtures that want it high are models of
// their own. Its door: `runner`.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "octavo/plan.h"
#include "octavo/runtime.h"
#include "tune/search.h"

namespace octavo {

class Mixture {
 public:
  struct Layer {
    Decision low, high;
    std::string input;  // its switch; empty: it has none
  };
  struct Options {
    SessionOptions session;
    std::filesystem::path scratch;  // where models are written for a moment
    bool switches = true;           // false: a session for each mixture
  };

  // Both plans are of the model in this file, prepared alike. Nothing is
  // opened yet.
  Mixture(std::shared_ptr<Runtime> runtime, std::filesystem::path original,
          const Plan& low, const Plan& high, Options options);
  ~Mixture();

  const std::vector<Layer>& layers() const { return layers_; }
  bool switchable(size_t layer);

  // The mixture's whole recipe, a wish for each node.
  Recipe recipe(const Choice& high) const;

  // What a mixture is called in a state file: by the layers that are low.
  std::string key(const Choice& high) const;

  // What computes a mixture, until the next call. Throws what opening throws.
  Runner& runner(const Choice& high);

  // Opened so far.
  int sessions() const { return sessions_; }

 private:
  class Switched;
  void open_switched();
  std::unique_ptr<Runner> open(const Model& model);
  std::unique_ptr<Runner> open_copy(const Choice& high);

  std::shared_ptr<Runtime> runtime_;
  std::filesystem::path original_;
  Plan low_, high_;
  Options options_;
  std::vector<Layer> layers_;
  bool opened_ = false;
  std::unique_ptr<Switched> switched_;
  std::unique_ptr<Runner> own_;  // of the last mixture without switches
  int sessions_ = 0;
};

// What quantizing a file by a recipe gives.
struct Settled {
  Plan plan;           // with weights of NaN or infinity left float
  std::string digest;  // SHA-256 of the copy: of all that it depends on
  uint64_t bytes = 0;  // of the copy
};

// Writes the copy, for weights of NaN are found while they are written.
Settled settle_at(const std::filesystem::path& model,
                  const std::filesystem::path& copy, const Recipe& recipe);
// The same, and removes the copy from `scratch`.
Settled settle(const std::filesystem::path& model,
               const std::filesystem::path& scratch, const Recipe& recipe);

// The recipe of a plan with a wish for each of its nodes: quantizing by it
// gives the plan again.
Recipe wish_all(const Plan& plan);

}  // namespace octavo
