// Where a person's inputs come from: files, folders, archives, or a seeded
// generator. A source gives batches on demand and never holds them all. Doors:
// `open_samples`, `load_array` for a lone array, `load_labels`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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
  // Reads batch `index`, 0 <= index < batches(). Fit for several threads at
  // once. Throws Error(usage) where the batch does not fit the model's inputs,
  // Error(io) and Error(format) for files that cannot be read.
  virtual Batch batch(int64_t index) const = 0;
  // True for generated inputs: then no verdict speaks of real answers.
  virtual bool synthetic() const { return false; }
  // One phrase for reports: "397 samples of digits.npz".
  virtual std::string description() const = 0;
};

// Where samples come from: exactly one of `inputs`, `samples`, `random`.
struct SampleSpec {
  struct Input {
    std::string name;  // empty: the file's own names, or the only input
    std::filesystem::path path;
  };
  // From `low` up to, but not including, `high`.
  struct Range {
    double low = 0;
    double high = 1;
  };

  // One batch, given whole: .npy (an unnamed one fits a model of one input),
  // .npz (keys are input names) and TensorProto .pb (unnamed: by the name
  // inside it, else the only input).
  std::vector<Input> inputs;

  // Many samples. A .npz or .npy: the leading axis of every array counts
  // samples, cut into batches of `batch`; keys that are no input (labels) are
  // ignored. A folder: one batch per test_data_set_* folder (input_0.pb ... in
  // the model's order, or by the name inside), else one per .npz, .npy or .pb
  // file, sorted naturally ("2" before "10"). A folder with input_0.pb itself
  // is one batch.
  std::filesystem::path samples;
  int64_t batch = 1;  // samples a batch; the last one may be smaller

  // Generated batches, the same on every platform for the same seed.
  // Defaults by type: floats are normal(0,1) (the sum of twelve uniform
  // numbers less six, so within [-6, 6]); uint8 and int8 take all their
  // values, other integers 0 to 99; bool is either. Integer and bool inputs
  // named like "mask" are 1, integers named like "type" are 0.
  int64_t random = 0;
  uint64_t seed = 0;
  // Values of dimensions that are not static, by symbolic name or "INPUT:AXIS".
  // Default: `batch` for a leading dimension unless its name speaks of a
  // length (seq, len, time, frame), 16 for all others.
  std::vector<std::pair<std::string, int64_t>> dims;
  std::vector<std::pair<std::string, Range>> ranges;  // by input name
};

// Checks what can be checked without reading the data, and opens a source for
// a model with these inputs. Throws Error(usage) for a spec that makes no
// sense or names what the model does not have, else as `batch` does.
std::unique_ptr<SampleSource> open_samples(const SampleSpec& spec,
                                           const std::vector<Port>& inputs);

// Reads one array: "FILE.npy", "FILE.pb" (a TensorProto), "FILE.npz" with one
// array in it, or "FILE.npz:KEY". Throws Error(io, format, usage).
Tensor load_array(const std::string& path_and_key);

// Reads right answers: an array as load_array does, or text. A .txt holds one
// label a line. A .csv is read as RFC 4180 says: "FILE.csv:COLUMN" by its
// header, else its only column, whose first line is a header unless it is a
// number. Labels that are all whole numbers become int64, all numbers float64,
// else strings. Throws Error(io, format, usage).
Tensor load_labels(const std::string& path_and_key);

}  // namespace octavo
