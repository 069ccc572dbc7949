// The kinds of SampleSource behind `open_samples`. Private to this floor.
#pragma once

#include <memory>
#include <vector>

#include "octavo/samples.h"

namespace octavo {

// Batches that are each given whole: by --input, or as the files of a folder.
std::unique_ptr<SampleSource> open_given(const SampleSpec& spec,
                                         const std::vector<Port>& inputs);
std::unique_ptr<SampleSource> open_folder(const SampleSpec& spec,
                                          const std::vector<Port>& inputs);

// Arrays whose leading axis counts samples: an .npz or an .npy.
std::unique_ptr<SampleSource> open_stacked(const SampleSpec& spec,
                                           const std::vector<Port>& inputs);

// Generated batches.
std::unique_ptr<SampleSource> open_random(const SampleSpec& spec,
                                          const std::vector<Port>& inputs);

// Samples in a batch of inputs with these shapes: the size of the leading axis
// where all that have one agree, else 1.
int64_t samples_in(const std::vector<Shape>& shapes);

// Which input an array of a file that is given whole feeds: `named` by the
// user, else its key, else the only input. Throws Error(usage) with the
// nearest names.
const Port& port_named(const std::string& name, const std::vector<Port>& inputs,
                       const std::string& where);

// Throws Error(usage) for an input that has no array. `keys`: what there is.
[[noreturn]] void missing_input(const Port& port, const std::string& where,
                                const std::vector<std::string>& keys);

// "1 sample", "397 samples".
std::string counted(int64_t count, const std::string& thing);

}  // namespace octavo
