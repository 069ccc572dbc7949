// What was measured in earlier runs, in a file: a second run does not measure
// it again. A file is of one question (model, samples, metrics); another
// one's is refused. Doors: `find` and `add`.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "octavo/compare.h"
#include "octavo/runtime.h"

namespace octavo {

// What the answers depend on: "model", "samples", ..., each with a digest.
using Question = std::map<std::string, std::string>;

// Of comparing candidates with the model in this file. Reads the file and all
// samples.
Question question_of(const std::filesystem::path& model,
                     const SampleSource& samples, const CompareOptions& compare,
                     const SessionOptions& session, const Runtime& runtime);

std::string sha256_of_file(const std::filesystem::path& path);

class Known {
 public:
  using Json = nlohmann::json;

  // Reads `path` where it exists; "" is a store without a file. Throws
  // Error(format) for a file that is none, and Error(usage) for one of another
  // question, saying what differs.
  Known(std::filesystem::path path, Question question);

  std::optional<Json> find(const std::string& key) const;
  // Adds, and writes the file anew, whole or not at all.
  void add(const std::string& key, Json value);

 private:
  std::filesystem::path path_;
  Question question_;
  std::map<std::string, Json> values_;
};

// Numbers that JSON does not have are strings.
Known::Json number_to_json(double v);
// Throws Error(format) for what `number_to_json` does not give.
double number_from_json(const Known::Json& j);

}  // namespace octavo
