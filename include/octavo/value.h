// What a model takes and gives: a tensor, a sequence, a map, or nothing (an
// empty optional). Plain data.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "octavo/tensor.h"

namespace octavo {

enum class ValueKind { none, tensor, sequence, map };

struct Value {
  ValueKind kind = ValueKind::none;
  Tensor tensor;             // kind == tensor
  std::vector<Value> items;  // sequence: its items; map: {keys, values}

  Value() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a tensor is a value
  Value(Tensor t) : kind(ValueKind::tensor), tensor(std::move(t)) {}
};

// One dimension as declared: a number, or a name, or neither.
struct Dim {
  int64_t value = -1;  // -1: not static
  std::string name;    // symbolic name, may be empty
};

// One declared input or output of a model.
struct Port {
  std::string name;
  ValueKind kind = ValueKind::tensor;  // none: an optional or unknown type
  DType type = DType::undefined;       // of a tensor
  bool has_rank = true;                // false: any rank
  std::vector<Dim> dims;
};

}  // namespace octavo
