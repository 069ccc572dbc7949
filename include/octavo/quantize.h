// The whole way from a model to its INT8 copy: open, plan, apply, write.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "octavo/plan.h"

namespace octavo {

struct QuantizeOptions {
  Recipe recipe;
  WriteOptions write;
  bool provenance = true;  // write tool, recipe and the source's SHA-256
  // The SHA-256 takes longer than the quantizing; without it, provenance has
  // two entries only.
  bool source_hash = true;
  // Called with each plan before anything is written. What it throws ends it.
  std::function<void(const Plan&)> planned;
};

struct QuantizeResult {
  Plan plan;
  uint64_t bytes_before = 0;  // model file and external data
  uint64_t bytes_after = 0;
  WriteStats written;
  std::vector<Saturation> saturation;  // of each int8 weight of products
};

// Quantizes `in` into `out`, which may be the same file. A weight with NaN or
// Inf is noticed while writing; then the plan is made again without it and
// nothing of the first try remains.
QuantizeResult quantize_file(const std::filesystem::path& in,
                             const std::filesystem::path& out,
                             const QuantizeOptions& options = {});

// The same from memory to memory, for a program that quantizes at load time.
struct QuantizedBytes {
  Plan plan;
  std::vector<std::byte> model;
  std::vector<Saturation> saturation;
};
QuantizedBytes quantize_bytes(Bytes model, const QuantizeOptions& options = {});

}  // namespace octavo
