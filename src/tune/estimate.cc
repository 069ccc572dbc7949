#include "tune/estimate.h"

#include <cmath>
#include <limits>

#include "compare/element.h"
#include "compare/pairing.h"

namespace octavo {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void add(ErrorSums& sums, const ErrorSums& other, double factor = 1) {
  if (sums.outputs.size() < other.outputs.size())
    sums.outputs.resize(other.outputs.size());
  for (size_t i = 0; i < other.outputs.size(); ++i) {
    sums.outputs[i].squares += factor * other.outputs[i].squares;
    sums.outputs[i].reference += factor * other.outputs[i].reference;
  }
}

ErrorSums::Output sums_of(const OutputStats& o) {
  if (o.failed_batches > 0 || o.sums.non_finite.mismatching > 0)
    return {kInfinity, 1};
  if (measure_of(o.type) == Measure::numeric)
    return {o.sums.squares, o.sums.reference};
  return {static_cast<double>(o.elements - o.equal),
          static_cast<double>(o.elements)};
}

}  // namespace

ErrorSums error_sums(const std::vector<PartStats>& outputs) {
  ErrorSums sums;
  for (const PartStats& output : outputs)
    for (const OutputStats& part : output.parts)
      sums.outputs.push_back(sums_of(part));
  return sums;
}

double error_of(const ErrorSums& sums) {
  double squares = 0;
  double outputs = 0;
  for (const ErrorSums::Output& o : sums.outputs) {
    if (o.squares > 0)
      squares += o.reference > 0 ? o.squares / o.reference : kInfinity;
    ++outputs;
  }
  return outputs > 0 ? std::sqrt(squares / outputs) : 0;
}

ErrorEstimate estimate(const std::vector<ErrorSums>& batches, bool left) {
  ErrorSums all;
  for (const ErrorSums& b : batches) add(all, b);
  ErrorEstimate out;
  out.error = error_of(all);
  if (!left || batches.size() < 2) return out;
  const auto n = static_cast<double>(batches.size());
  std::vector<double> without;
  double mean = 0;
  for (const ErrorSums& b : batches) {
    ErrorSums rest = all;
    add(rest, b, -1);
    without.push_back(error_of(rest));
    mean += without.back() / n;
  }
  double squares = 0;
  for (const double v : without) squares += (v - mean) * (v - mean);
  const double error = std::sqrt((n - 1) / n * squares);
  out.standard_error = std::isfinite(error) ? error : 0;
  return out;
}

std::optional<ErrorEstimate> estimate_error(Runner& reference,
                                            Runner& candidate,
                                            const SampleSource& samples,
                                            const std::vector<int64_t>& order,
                                            double precision,
                                            const std::atomic<bool>* stop) {
  const Pairing pairing = pair_outputs(reference, candidate);
  std::vector<ErrorSums> batches;
  ErrorEstimate out;
  int64_t seen = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (stop && *stop) return std::nullopt;
    const Batch batch = samples.batch(order[i]);
    const auto r = reference.run(batch.feed);
    const auto c = candidate.run(batch.feed);
    std::vector<PartStats> stats(pairing.pairs.size());
    for (size_t k = 0; k < stats.size(); ++k) {
      const OutputPair& pair = pairing.pairs[k];
      walk(stats[k], r.at(pair.reference), c.at(pair.candidate),
           {order[i], batch.first, batch.count, pair.name});
    }
    batches.push_back(error_sums(stats));
    seen += batch.count;
    const bool left = i + 1 < order.size();
    if (left && batches.size() < kLeastBatches) continue;
    out = estimate(batches, left);
    out.samples = seen;
    // Written so that an infinite error ends it, too.
    if (left && !(out.standard_error > precision * out.error)) break;
  }
  return out;
}

}  // namespace octavo
