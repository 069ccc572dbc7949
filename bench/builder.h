// Builds large models for benchmarks: nodes named like PyTorch's exporter
// names them, and weights that are made while they are written, so that a
// model of many gigabytes needs no memory. The same model, to the last byte,
// on every machine.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/data.h"
#include "testing/tiny_model.h"

namespace octavo::benchmarks {

class Builder {
 public:
  explicit Builder(uint64_t seed) : seed_(seed) {}

  testing::TinyModel& model() { return model_; }

  using Attributes = std::function<void(onnx::NodeProto&)>;
  // Adds a node, named by `path` or, the second time, path_1; gives its first
  // output.
  std::string node(const std::string& op,
                   const std::vector<std::string>& inputs,
                   const std::string& path, const Attributes& attributes = {});
  // The same with several outputs.
  std::vector<std::string> nodes(const std::string& op,
                                 const std::vector<std::string>& inputs,
                                 const std::string& path, int outputs,
                                 const Attributes& attributes = {});
  // A weight close to normal(mean, deviation). Of the channels along
  // `outliers`, one in a hundred is six times as large, as in transformers.
  std::string weight(const std::string& name, const Shape& shape,
                     float deviation, int outliers = -1, float mean = 0);
  // Constant nodes; one a path.
  std::string integers(const std::vector<int64_t>& values,
                       const std::string& path);
  std::string integer(int64_t value, const std::string& path);
  std::string number(float value, const std::string& path);

  // Writes the model. Ends the builder.
  void write(const std::filesystem::path& path, ExternalData external);

 private:
  std::string unique(const std::string& path);

  uint64_t seed_;
  testing::TinyModel model_;
  std::map<std::string, int> used_;
  // Its proto is filled at the end.
  std::unique_ptr<ModelData> data_ = std::make_unique<ModelData>();
};

}  // namespace octavo::benchmarks
