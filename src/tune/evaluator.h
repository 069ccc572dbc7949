// Measures candidates on the samples of a search, and remembers. Doors:
// `whole` for models and `mixed` for mixtures.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "octavo/tune.h"
#include "tune/known.h"
#include "tune/mixture.h"
#include "tune/remembering.h"
#include "tune/subset.h"

namespace octavo {

// A model as it was measured.
struct Whole {
  Settled settled;
  double error = 0;
  std::vector<Measurement> measured;
  std::optional<SpeedRatio> speed;
};

class Evaluator {
 public:
  // All of these must outlive it. `samples` are those of the search.
  Evaluator(std::shared_ptr<Runtime> runtime, std::filesystem::path model,
            const Subset& samples, const TuneOptions& options,
            TuneResult& result);

  // Writes the copy, compares and times it. Empty: stopped.
  std::optional<Whole> whole(const Recipe& recipe);
  // The copy of a recipe on other samples.
  CompareResult elsewhere(const Recipe& recipe, const Subset& samples);

  // The error of a mixture, from as many batches as it takes. Empty: stopped
  // or out of time.
  std::optional<double> error(Mixture& mixture, const std::string& digests,
                              const Choice& choice);
  // Does a mixture keep the limits? Those on sizes and speeds do not count.
  std::optional<bool> holds(Mixture& mixture, const std::string& digests,
                            const Choice& choice);

  std::vector<Check> checks(const Whole& whole) const;
  // The same of a comparison, with the sizes that it does not know.
  std::vector<Check> checks(const CompareResult& result,
                            const Whole& whole) const;

  bool stopped() const { return options_.stop && *options_.stop; }
  bool out_of_time() const;
  Runner& original() { return reference_; }

 private:
  std::vector<Measurement> own(const Whole& whole) const;
  void count(bool recalled);

  std::shared_ptr<Runtime> runtime_;
  std::filesystem::path model_;
  const Subset& samples_;
  const TuneOptions& options_;
  TuneResult& result_;
  CompareOptions compare_;
  uint64_t original_bytes_;
  std::unique_ptr<Runner> original_;
  RememberingRunner reference_;
  Known known_;
  std::vector<int64_t> order_;
  std::vector<Limit> answer_limits_;  // those on answers alone
  std::string limits_text_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace octavo
