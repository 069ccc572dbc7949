// The river: open -> plan -> apply -> write, and once more from the start
// where a weight turned out to hold NaN or Inf.
#include "octavo/quantize.h"

#include <algorithm>

#include "model/data.h"
#include "octavo/error.h"
#include "quant/provenance.h"

namespace octavo {
namespace {

// Thrown inside the writer to leave nothing behind.
struct FoundNonFinite {
  std::vector<std::string> weights;
};

struct Prepared {
  Plan plan;
  Applied applied;
};

Prepared prepare(Model& model, const QuantizeOptions& options,
                 const Findings& findings) {
  Plan plan = prepare_and_plan(model, options.recipe, findings);
  if (options.planned) options.planned(plan);
  Applied applied = apply_plan(model, plan);
  if (options.provenance && plan.quantized > 0)
    add_provenance(model.data(), options.recipe, options.source_hash);
  return {std::move(plan), std::move(applied)};
}

// Calls attempt(findings) until no new weight is found to be non-finite.
template <typename Attempt>
auto until_finite(const Attempt& attempt) {
  Findings findings;
  for (;;) {
    try {
      return attempt(findings);
    } catch (const FoundNonFinite& found) {
      const size_t before = findings.non_finite.size();
      for (const auto& w : found.weights)
        if (std::find(findings.non_finite.begin(), findings.non_finite.end(),
                      w) == findings.non_finite.end())
          findings.non_finite.push_back(w);
      if (findings.non_finite.size() == before)
        throw Error(ErrorKind::unsupported,
                    "a weight with NaN or Inf cannot be left float: '" +
                        found.weights.front() + "'.");
    }
  }
}

void require_finite(const Applied& applied) {
  auto weights = applied.non_finite();
  if (!weights.empty()) throw FoundNonFinite{std::move(weights)};
}

}  // namespace

QuantizeResult quantize_file(const std::filesystem::path& in,
                             const std::filesystem::path& out,
                             const QuantizeOptions& options) {
  return until_finite([&](const Findings& findings) {
    Model model = open_model(in);
    const uint64_t before = model.bytes();
    Prepared p = prepare(model, options, findings);
    WriteOptions write = options.write;
    write.check = [&](const Written& written) {
      require_finite(p.applied);
      if (options.write.check) options.write.check(written);
    };
    const WriteStats stats = write_model(model, out, write);
    return QuantizeResult{std::move(p.plan), before,
                          stats.bytes + stats.external_bytes, stats,
                          p.applied.saturation()};
  });
}

QuantizedBytes quantize_bytes(Bytes bytes, const QuantizeOptions& options) {
  return until_finite([&](const Findings& findings) {
    Model model = open_model(bytes);
    Prepared p = prepare(model, options, findings);
    auto out = write_model(model, options.write.threads);
    require_finite(p.applied);
    return QuantizedBytes{std::move(p.plan), std::move(out),
                          p.applied.saturation()};
  });
}

}  // namespace octavo
