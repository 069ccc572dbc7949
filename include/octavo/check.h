// The self-check of a written model: it is read back, and ONNX Runtime loads
// it, before it gets its final name.
#pragma once

#include <memory>

#include "octavo/model.h"
#include "octavo/runtime.h"

namespace octavo {

// `options` for a session that is only opened: no graph optimizations, no
// repacked weights.
SessionOptions loading_only(SessionOptions options);

// Throws Error(runtime), with the runtime's own words, which name the node,
// where the model does not load; Error(io) where the file is not what was
// written. For `WriteOptions::check`.
//
// The runtime gets the same graph, types and shapes, with the weights mapped
// from the written file and graph optimizations off; so a check costs little
// time and memory whatever the model's size. Running it is another matter:
// that is what `compare` is for.
void check_loads(const std::shared_ptr<Runtime>& runtime,
                 const Written& written, const SessionOptions& options = {});

}  // namespace octavo
