// The comparison itself: one pass over the samples, both models on each
// batch, statistics updated, nothing kept.
#include "octavo/compare.h"

#include <fmt/format.h>

#include "compare/checks.h"
#include "compare/pairing.h"
#include "compare/task_stats.h"
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

}  // namespace

CompareResult compare(Runner& reference, Runner& candidate,
                      const SampleSource& samples,
                      const CompareOptions& options) {
  check_tolerances(options);
  check_same_inputs(reference, candidate);
  const Pairing pairing = pair_outputs(reference, candidate, options.map);
  check_labels(reference, samples, options);
  const Task task(options, pairing.pairs);
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
  for (PartStats& s : stats) s.views = options.views;
  TaskStats task_stats;
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
    task.update(task_stats, r, c, place);
    if (options.observe) options.observe(r, c);
    ++result.batches;
    result.samples += batch.count;
    if (options.progress)
      options.progress({result.batches, samples.batches(), result.samples,
                        samples.samples()});
  }

  for (size_t i = 0; i < stats.size(); ++i)
    for (const OutputStats& part : stats[i].parts) {
      result.outputs.push_back(finish(part));
      if (!pairing.pairs[i].note.empty())
        result.outputs.back().notes.push_back(pairing.pairs[i].note);
    }
  TaskSummary summary = finish(task_stats, options.seed);
  result.answers = std::move(summary.answers);
  result.metrics = std::move(summary.metrics);
  result.checks = make_checks(result, options.tolerances);
  return result;
}

}  // namespace octavo
