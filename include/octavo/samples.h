// Where a person's inputs come from: files, folders, archives, or a seeded
// generator. A source gives batches on demand and never holds them all.
#pragma once

#include <cstdint>
#include <string>

#include "octavo/runner.h"

namespace octavo {

// What one call of the model gets.
struct Batch {
  Feed feed;
  int64_t first = 0;  // index of its first sample
  int64_t count = 1;  // samples in it (the leading axis, where there is one)
  std::string name;   // for messages: a file, a folder, "sample 17"
};

class SampleSource {
 public:
  virtual ~SampleSource() = default;
  virtual int64_t batches() const = 0;
  virtual int64_t samples() const = 0;
  // Reads batch `index`, 0 <= index < batches().
  virtual Batch batch(int64_t index) const = 0;
  // True for generated inputs: then no verdict speaks of real answers.
  virtual bool synthetic() const { return false; }
  // One phrase for reports: "397 samples of digits.npz".
  virtual std::string description() const = 0;
};

}  // namespace octavo
