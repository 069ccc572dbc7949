// --layers: the error of each quantized layer, measured after the comparison.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>

#include "octavo/layers.h"

namespace octavo::cli {

// Empty where it was stopped before, or where the layers cannot be measured:
// then a sentence on stderr says why, for the comparison still counts.
std::optional<LayersResult> measure_layers(
    const std::shared_ptr<Runtime>& runtime, const SessionOptions& session,
    const std::filesystem::path& original, const std::filesystem::path& copy,
    const SampleSource& samples, const std::atomic<bool>& stop);

}  // namespace octavo::cli
