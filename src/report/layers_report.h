// The error of each quantized layer as a table and as JSON.
#pragma once

#include <string>

#include "octavo/layers.h"
#include "report/colour.h"
#include "report/json.h"
#include "report/table.h"

namespace octavo {

// For a terminal: the layers with the largest errors of their own.
std::string layers_text(const LayersResult& result, const TextOptions& options);

// All of them, in the model's order; a figure is the SQNR in dB.
Table layers_table(const LayersResult& result);

// A layer's SQNR where it is a finite number; for charts.
std::optional<double> finite_sqnr(const OutputSummary& summary);

Json layers_json(const LayersResult& result);

}  // namespace octavo
