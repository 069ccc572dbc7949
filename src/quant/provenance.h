// Where a quantized model comes from, written into its metadata: the tool, its
// version, the recipe, and the SHA-256 of the original model file.
#pragma once

#include "model/data.h"
#include "octavo/plan.h"

namespace octavo {

inline constexpr const char* kProvenanceVersion = "octavo.version";
inline constexpr const char* kProvenanceRecipe = "octavo.recipe";
inline constexpr const char* kProvenanceSource = "octavo.source_sha256";

// Sets the entries, replacing older ones. The hash is made while the model is
// written, beside the weights; a model from memory is hashed likewise. Without
// `source_hash` there is none, nor an older one.
void add_provenance(ModelData& model, const Recipe& recipe, bool source_hash);

// The recipe and its options in one line: "safe per-channel min-bytes=1024".
std::string recipe_text(const Recipe& recipe);

}  // namespace octavo
