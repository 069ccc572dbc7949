// What the probes have in common; for the files that hold them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "octavo/probes.h"

namespace octavo {

// Raises `most` where this output moved more.
void add_movement(Movement& most, const std::string& name, const Value& usual,
                  const Value& changed);

// Fills in both models; what one of them throws is why the probe was skipped.
void measure(Probe& probe, const ProbeSubject& original,
             const ProbeSubject& copy,
             const std::function<Movement(const ProbeSubject&)>& one);

// A batch of one, with the largest magnitude of its float inputs.
struct SingleSample {
  Feed feed;
  double size = 0;
};

// The first ones, at most 64; none where leading axes do not count samples.
std::vector<SingleSample> single_samples(const SampleSource& samples);

// Each a probe of its own.
Probe probe_batch_mates(const ProbeSubject& original, const ProbeSubject& copy,
                        const SampleSource& samples);
Probe probe_padding(const ProbeSubject& original, const ProbeSubject& copy,
                    const SampleSource& samples);

}  // namespace octavo
