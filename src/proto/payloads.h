// Tensors' payloads cut out of a model's bytes, and put back. `cut_payloads`
// turns the bytes of a file into a small skeleton, in which each large payload
// is a number; `paste_payloads` turns a serialized skeleton into the pieces of
// a file. Neither copies a payload. This is the one place that knows where in
// a ModelProto tensors can stand.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "octavo/tensor.h"

namespace octavo {

struct CutModel {
  std::string skeleton;         // parses as octavo.onnx.ModelProto
  std::vector<Bytes> payloads;  // views into the file, by handle
};

// Cuts payloads of at least `threshold` bytes: raw_data, and float_data and
// double_data where they stand in one packed run (then the bytes are the
// same). Throws Error(format) for bytes that are no protobuf message of this
// shape, that nest too deeply, or that already use the handle's field.
CutModel cut_payloads(Bytes file, uint64_t threshold = 1024);

// A file as literal bytes with payloads between them.
struct PastedModel {
  struct Gap {
    uint64_t literal_end = 0;  // the payload follows literal[0, literal_end)
    uint64_t handle = 0;
    uint64_t size = 0;
  };
  std::string literal;
  std::vector<Gap> gaps;  // in file order
  uint64_t size = 0;      // bytes of the whole file
};

// `payload_size` gives the bytes of a handle. Lengths are written in their
// shortest form.
PastedModel paste_payloads(
    Bytes skeleton, const std::function<uint64_t(uint64_t)>& payload_size);

}  // namespace octavo
