// Names that measurements can have, known before anything is measured.
#pragma once

#include <string>
#include <vector>

#include "octavo/task.h"

namespace octavo {

// "max_abs", "cosine", ...: what follows an output's name.
std::vector<std::string> output_measure_names();

// "accuracy.original", "accuracy.drop", ...
std::vector<std::string> metric_measurement_names(const MetricSpec& spec);

}  // namespace octavo
