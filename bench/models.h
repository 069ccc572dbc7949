// The models of the benchmarks, by name. Their door: `build`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace octavo::benchmarks {

struct ModelInfo {
  const char* name;
  const char* what;
};

const std::vector<ModelInfo>& models();

// Builds the model as folder/NAME.onnx unless that file is there already.
void build(const std::filesystem::path& folder, const std::string& name);

}  // namespace octavo::benchmarks
