// Quantizing as a JSON document, schema "octavo.quantize/1": docs/quantize.md
// lists its fields.
#pragma once

#include "report/json.h"
#include "report/quantize_context.h"

namespace octavo {

Json quantize_json(const QuantizeContext& context);

// The self-check alone, for other documents.
Json check_json(const QuantizeContext& context);

}  // namespace octavo
