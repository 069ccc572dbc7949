// The probes, run after a comparison unless --no-probes was given.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "octavo/compare.h"
#include "octavo/runtime.h"

namespace octavo::cli {

struct ProbedModel {
  std::filesystem::path path;
  Runner& usual;
};

std::vector<Probe> probe(const std::shared_ptr<Runtime>& runtime,
                         const SessionOptions& session,
                         const ProbedModel& original, const ProbedModel& copy,
                         const SampleSource& samples,
                         const std::atomic<bool>& stop);

// What limits may name.
std::vector<std::string> probe_measurements();

}  // namespace octavo::cli
