// What is in a model: counted from its graph and from nothing else. Only the
// structure is read, so that it takes no time whatever the weights' size.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "octavo/model.h"

namespace octavo {

// A tensor that stands in the model: an initializer or a Constant node's value.
struct StoredTensor {
  std::string name, scope;
  DType type = DType::undefined;
  Shape shape;
  int64_t bytes = 0;
  std::string user;  // operator of its first user; "" where there is none
};

struct TypeBytes {
  int64_t tensors = 0, bytes = 0;
};

struct Inspection {
  int64_t ir_version = 0;
  std::string producer;  // "pytorch 2.1", may be empty
  std::vector<std::pair<std::string, int64_t>> opsets;  // "ai.onnx" first
  std::map<std::string, std::string> metadata;
  // Names with types and shapes: "x: float32[batch,128]".
  std::vector<std::string> inputs, outputs;
  int64_t nodes = 0, functions = 0, graphs = 0;
  std::map<std::string, int64_t> operators;  // "MatMul", "com.microsoft::Gelu"
  std::map<std::string, TypeBytes> by_type;  // "float32"
  std::map<std::string, TypeBytes> by_operator;  // of the first user
  std::vector<StoredTensor> tensors;             // largest first
  int64_t weight_bytes = 0;                      // of all these tensors
  int64_t file_bytes = 0;      // of the model file and its data files
  int64_t external_bytes = 0;  // of the data files among them
  // Forms of quantization and their number, as in `Plan::already`.
  std::map<std::string, int64_t> quantized;
  // Sentences about what may stand in the way of quantizing or running it.
  std::vector<std::string> hazards;
};

Inspection inspect(const Model& model);

// What a node of one model is in another, found by the value that it makes.
struct Change {
  std::string node, scope;
  std::string before, after;  // operators, or forms of quantization
  bool quantized = false;
  std::string value;  // that the node makes
};

// For each node of `before` that could be quantized. A value that `after` does
// not make gives "gone".
std::vector<Change> changes(const Model& before, const Model& after);

// Inlines the calls of the original's own functions that its copy does not have
// any more; so both have the same nodes.
void inline_like(Model& original, const Model& copy);

}  // namespace octavo
