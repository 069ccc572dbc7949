// What a sample's answer owes to the others in its batch.
#include <algorithm>
#include <cmath>

#include "compare/probe_parts.h"
#include "compare/rows.h"

namespace octavo {
namespace {

constexpr int64_t kLooked = 64;  // samples among which mates are chosen
constexpr int64_t kTried = 4;    // samples that are moved
constexpr double kOutlier = 10;  // times the largest value seen

double size_of(const Feed& feed) {
  double largest = 0;
  for (const auto& [name, value] : feed.inputs) {
    const Tensor& t = value.tensor;
    if (t.type != DType::float32) continue;
    for (const float v : t.as<float>())
      if (std::isfinite(v)) largest = std::max(largest, std::abs(double{v}));
  }
  return largest;
}

// The declared size of the leading axis, where it is one number for all.
bool takes_one_only(const Runner& model) {
  return std::any_of(
      model.inputs().begin(), model.inputs().end(),
      [](const Port& p) { return !p.dims.empty() && p.dims[0].value >= 0; });
}

bool has_floats(const Feed& feed) {
  return std::any_of(feed.inputs.begin(), feed.inputs.end(),
                     [](const auto& input) {
                       return input.second.tensor.type == DType::float32;
                     });
}

// An outlier: the largest sample, its float inputs times kOutlier.
Feed outlier(const std::vector<SingleSample>& samples) {
  const auto largest =
      std::max_element(samples.begin(), samples.end(),
                       [](const SingleSample& a, const SingleSample& b) {
                         return a.size < b.size;
                       });
  Feed out = largest->feed;
  for (auto& [name, value] : out.inputs)
    if (value.tensor.type == DType::float32)
      for (float& v : value.tensor.as<float>())
        v *= static_cast<float>(kOutlier);
  return out;
}

}  // namespace

std::vector<SingleSample> single_samples(const SampleSource& samples) {
  std::vector<SingleSample> out;
  for (int64_t b = 0; b < samples.batches(); ++b) {
    const Batch batch = samples.batch(b);
    for (int64_t i = 0; i < batch.count; ++i) {
      auto row = row_of(batch.feed, i, batch.count);
      if (!row) return {};
      const double size = size_of(*row);
      out.push_back({std::move(*row), size});
      if (std::ssize(out) == kLooked) return out;
    }
  }
  return out;
}

Probe probe_batch_mates(const ProbeSubject& original, const ProbeSubject& copy,
                        const SampleSource& source) {
  Probe probe;
  probe.name = "batch_mates";
  const std::vector<SingleSample> samples = single_samples(source);
  if (takes_one_only(*original.usual)) {
    probe.skipped = "the model's batch is of a fixed size";
    return probe;
  }
  if (samples.size() < 2) {
    probe.skipped = "there are no two samples whose leading axes count samples";
    return probe;
  }
  const bool floats = has_floats(samples[0].feed);
  probe.what = floats ? "a sample alone, and beside an outlier"
                      : "a sample alone, and beside other samples";
  bool alike = false;
  measure(probe, original, copy, [&](const ProbeSubject& model) {
    Movement most;
    int64_t tried = 0;
    for (size_t i = 0; i < samples.size() && tried < kTried; ++i) {
      std::vector<Feed> rows = {samples[i].feed};
      if (floats) rows.push_back(outlier(samples));
      for (size_t k = 0; !floats && k < samples.size() && rows.size() < 8; ++k)
        if (k != i) rows.push_back(samples[k].feed);
      const auto together = stacked(rows);
      if (!together) continue;  // other lengths
      alike = true;
      ++tried;
      const auto alone = model.usual->run(rows[0]);
      const auto mixed = model.usual->run(*together);
      for (size_t o = 0; o < alone.size() && o < mixed.size(); ++o) {
        const auto row = row_of(mixed[o], 0, std::ssize(rows));
        if (row && alone[o].kind == ValueKind::tensor &&
            !alone[o].tensor.shape.empty() && alone[o].tensor.shape[0] == 1)
          add_movement(most, model.usual->outputs()[o].name, alone[o], *row);
      }
    }
    return most;
  });
  if (!alike && probe.skipped.empty()) {
    probe.original.reset(), probe.copy.reset();
    probe.skipped = "no two samples are of one shape";
  }
  return probe;
}

}  // namespace octavo
