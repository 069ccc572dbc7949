// The comparison itself: one pass over the samples, both models on each
// batch, statistics updated, nothing kept.
#include "octavo/compare.h"

#include <fmt/format.h>

#include "compare/answers.h"
#include "compare/checks.h"
#include "compare/pairing.h"
#include "compare/walk.h"
#include "octavo/error.h"

namespace octavo {
namespace {

std::vector<Value> run_reference(Runner& runner, const Batch& batch) {
  try {
    return runner.run(batch.feed);
  } catch (const Error& e) {
    throw Error(e.kind(), fmt::format("the original does not run on {}, so "
                                      "nothing can be compared: {}",
                                      batch.name, e.what()));
  }
}

std::vector<Value> run_candidate(Runner& runner, const Batch& batch) {
  try {
    return runner.run(batch.feed);
  } catch (const Error& e) {
    throw Error(e.kind(), fmt::format("the quantized copy fails on {}, where "
                                      "the original runs: {}",
                                      batch.name, e.what()));
  }
}

void check_count(const std::vector<Value>& values, const Runner& runner,
                 const char* who) {
  if (values.size() != runner.outputs().size())
    throw Error(ErrorKind::runtime,
                fmt::format("{} declares {} outputs, but gave {}", who,
                            runner.outputs().size(), values.size()));
}

// Position in `pairs` of the output that the labels speak of.
class LabelOutput {
 public:
  LabelOutput(const CompareOptions& options, const Pairing& pairing)
      : options_(options), pairs_(pairing.pairs) {
    if (!options.labels || options.label_output.empty()) return;
    for (size_t i = 0; i < pairs_.size(); ++i)
      if (pairs_[i].name == options.label_output) pair_ = i;
    if (!pair_)
      throw Error(ErrorKind::usage,
                  fmt::format("the copy has no output '{}', which the labels "
                              "speak of",
                              options.label_output));
  }

  // Adds a batch; without labels nothing happens.
  void update(AnswerStats& stats, const std::vector<Value>& reference,
              const std::vector<Value>& candidate, Place place) {
    if (!options_.labels) return;
    if (!pair_) pair_ = first_scores(reference);
    const OutputPair& pair = pairs_[*pair_];
    const Tensor& r = reference[pair.reference].tensor;
    const Tensor& c = candidate[pair.candidate].tensor;
    stats.counts.output = place.path = pair.name;
    const auto& labels = *options_.labels;
    if (place.first < 0 || place.count < 0 ||
        place.first + place.count > std::ssize(labels))
      throw Error(ErrorKind::usage,
                  fmt::format("batch {} holds the samples {} to {}, but there "
                              "are {} labels",
                              place.batch, place.first,
                              place.first + place.count - 1, labels.size()));
    if (r.type != c.type || r.shape != c.shape) {
      stats.counts.uncounted += place.count;
      return;
    }
    octavo::update(stats, r.view(), c.view(),
                   std::span(labels).subspan(static_cast<size_t>(place.first),
                                             static_cast<size_t>(place.count)),
                   place);
  }

 private:
  size_t first_scores(const std::vector<Value>& reference) const {
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const Value& v = reference[pairs_[i].reference];
      if (v.kind == ValueKind::tensor && is_float(v.tensor.type) &&
          v.tensor.shape.size() >= 2)
        return i;
    }
    throw Error(ErrorKind::usage,
                "labels were given, but no output that both models share is "
                "floating with two or more dimensions, such as [N,C]; leave "
                "the labels out");
  }

  const CompareOptions& options_;
  const std::vector<OutputPair>& pairs_;
  std::optional<size_t> pair_;
};

}  // namespace

CompareResult compare(Runner& reference, Runner& candidate,
                      const SampleSource& samples,
                      const CompareOptions& options) {
  check_tolerances(options);
  check_same_inputs(reference, candidate);
  const Pairing pairing = pair_outputs(reference, candidate);
  check_labels(reference, samples, options);
  LabelOutput label_output(options, pairing);
  if (samples.batches() == 0)
    throw Error(ErrorKind::usage,
                fmt::format("there is no sample to compare on ({})",
                            samples.description()));

  CompareResult result;
  result.only_reference = pairing.only_reference;
  result.only_candidate = pairing.only_candidate;
  result.synthetic = samples.synthetic();
  result.samples_description = samples.description();

  std::vector<PartStats> stats(pairing.pairs.size());
  AnswerStats answers;
  for (int64_t b = 0; b < samples.batches(); ++b) {
    if (options.stop && *options.stop) {
      result.partial = true;
      break;
    }
    const Batch batch = samples.batch(b);
    const std::vector<Value> r = run_reference(reference, batch);
    const std::vector<Value> c = run_candidate(candidate, batch);
    check_count(r, reference, "the original");
    check_count(c, candidate, "the quantized copy");
    Place place{b, batch.first, batch.count, ""};
    for (size_t i = 0; i < pairing.pairs.size(); ++i) {
      const OutputPair& pair = pairing.pairs[i];
      place.path = pair.name;
      walk(stats[i], r[pair.reference], c[pair.candidate], place);
    }
    label_output.update(answers, r, c, place);
    ++result.batches;
    result.samples += batch.count;
    if (options.progress)
      options.progress({result.batches, samples.batches(), result.samples,
                        samples.samples()});
  }

  for (const PartStats& output : stats)
    for (const OutputStats& part : output.parts)
      result.outputs.push_back(finish(part));
  if (options.labels) result.answers = finish(answers);
  result.checks = make_checks(result, options.tolerances);
  return result;
}

}  // namespace octavo
