// What a model takes and gives: a tensor, a sequence, a map, or nothing (an
// empty optional). Plain data.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "octavo/tensor.h"

namespace octavo {

enum class ValueKind { none, tensor, sequence, map };

// "none", "tensor", "sequence", "map".
std::string_view value_kind_name(ValueKind kind) noexcept;

struct Value {
  ValueKind kind = ValueKind::none;
  Tensor tensor;             // kind == tensor
  std::vector<Value> items;  // sequence: its items; map: {keys, values}

  Value() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a tensor is a value
  Value(Tensor t) : kind(ValueKind::tensor), tensor(std::move(t)) {}
};

// "float32 [1,10]" of a tensor, "sequence of 3", "map of 10", "none".
std::string value_text(const Value& value);

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
  // False: any rank, or a scalar (the runtime's API cannot tell them apart);
  // then `dims` is empty.
  bool has_rank = true;
  std::vector<Dim> dims;
};

// "float32 [batch,1,?,64]" of a tensor ("?" is a dimension without number and
// name), "float32 of any rank or none", "sequence", "map",
// "an optional or unknown type".
std::string port_text(const Port& port);

}  // namespace octavo
