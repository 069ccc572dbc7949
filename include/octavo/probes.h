// Questions that no comparison of given batches asks: what a sample's answer
// owes to its batch mates and to padding, and what two runs of one model
// differ by for no reason of quantization. Its door: `run_probes`.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "octavo/runtime.h"
#include "octavo/samples.h"

namespace octavo {

// How far one model's outputs moved: of the output that moved most, relative
// L2, |changed - usual| / |usual|; of outputs that have none, the share of
// elements that are not equal. Infinite where the outputs cannot be compared.
struct Movement {
  double value = 0;
  std::string output;  // empty: none moved
};

struct Probe {
  std::string name;     // "batch_mates", "padding", "repetition", "threads",
                        // "optimization"
  std::string what;     // what was done, a sentence without its full stop
  std::string skipped;  // why it was not done; empty: it was
  std::optional<Movement> original, copy;
};

// One of the two models, as a session that is open and a way to more.
struct ProbeSubject {
  Runner* usual = nullptr;
  std::function<std::unique_ptr<Runner>(const SessionOptions&)> open;
};

struct ProbeOptions {
  SessionOptions session;                   // of the usual sessions
  int threads = 0;                          // of the runtime's pool
  const std::atomic<bool>* stop = nullptr;  // true: skip what is left
};

// All probes, in the order of their names above; those that samples or models
// do not allow are skipped with a reason. A model that fails in a probe is no
// error: the probe says so. Takes a few runs of each model and two more
// sessions.
std::vector<Probe> run_probes(const ProbeSubject& original,
                              const ProbeSubject& copy,
                              const SampleSource& samples,
                              const ProbeOptions& options);

}  // namespace octavo
