// A model in memory: its structure parsed, its weights left where they are.
// Opening costs a scan of the file, not a copy of it. Writing makes a whole
// file or none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "octavo/tensor.h"

namespace octavo {

struct ModelData;

class Model {
 public:
  explicit Model(std::unique_ptr<ModelData> data);
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  // Bytes of the model file and of the external data files that it names.
  uint64_t bytes() const;

  // The skeleton and the blobs, for the library's own floors (model/data.h).
  ModelData& data() { return *data_; }
  const ModelData& data() const { return *data_; }

 private:
  std::unique_ptr<ModelData> data_;
};

// Opens a model file and the external data that it names. Throws Error(io) for
// a file that cannot be read and Error(format) for one that is no ONNX model.
Model open_model(const std::filesystem::path& path);

// Opens a model from memory; the caller keeps `bytes` alive as long as the
// model. External data is looked for in `folder`; without one it is refused.
Model open_model(Bytes bytes, const std::filesystem::path& folder = {});

// 64 hexadecimal digits that tell models apart by their structure: nodes,
// names, types, shapes, attributes, and the values of tensors up to 1 KiB; not
// by the values of larger weights, so that it takes no time.
std::string fingerprint(const Model& model);

enum class ExternalData {
  automatic,  // inside the model where it fits protobuf's 2 GiB, else outside
  always,     // in a file beside the model, NAME.data
  never,      // inside, or Error(limit)
};

// Where a blob of the model lies in what has been written so far.
struct Placement {
  bool outside = false;  // in the data file, not in the model file
  uint64_t offset = 0;
};

// A model that is on the disk under temporary names.
struct Written {
  const Model* model = nullptr;  // what was written
  std::filesystem::path target;  // the name that it will get
  std::filesystem::path file;
  std::filesystem::path data_file;  // empty: there is none
  std::vector<Placement> blobs;     // by the skeleton's blob numbers
};

struct WriteOptions {
  ExternalData external = ExternalData::automatic;
  // Bytes that a protobuf file may have; smaller only in tests.
  uint64_t inline_limit = 2147483647;
  int threads = 0;   // 0: one a core
  bool sync = true;  // flush to the disk before the rename
  // Called when all is written and before anything gets its final name; what
  // it throws leaves the folder as it was.
  std::function<void(const Written&)> check;
  // Called now and then with bytes done and bytes in all, by one thread at a
  // time, and once more when all is written and checked. What it throws ends
  // the writing and leaves the folder as it was.
  std::function<void(uint64_t, uint64_t)> progress;
};

struct WriteStats {
  uint64_t bytes = 0;           // of the model file
  uint64_t external_bytes = 0;  // of the data file beside it, 0: none
};

// Writes the model to `path`, which may be the file that it came from. Throws
// Error(io), or Error(limit) where the model does not fit the format.
WriteStats write_model(const Model& model, const std::filesystem::path& path,
                       const WriteOptions& options = {});

// The same into memory, in one protobuf message.
std::vector<std::byte> write_model(const Model& model, int threads = 0);

}  // namespace octavo
