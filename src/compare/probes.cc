#include "octavo/probes.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "compare/probe_parts.h"
#include "compare/walk.h"
#include "octavo/error.h"

namespace octavo {
namespace {

double movement_of(const OutputSummary& o) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (o.failed_batches > 0 || o.non_finite.mismatching > 0) return infinity;
  if (o.equal == o.elements) return 0;
  if (o.measure == Measure::numeric) return o.relative_l2.value_or(infinity);
  return 1 - static_cast<double>(o.equal) / static_cast<double>(o.elements);
}

}  // namespace

void add_movement(Movement& most, const std::string& name, const Value& usual,
                  const Value& changed) {
  PartStats stats;
  walk(stats, usual, changed, {0, 0, 1, name});
  for (const OutputStats& part : stats.parts) {
    const double moved = movement_of(finish(part));
    if (moved > most.value) most = {moved, part.name};
  }
}

void measure(Probe& probe, const ProbeSubject& original,
             const ProbeSubject& copy,
             const std::function<Movement(const ProbeSubject&)>& one) {
  const char* who = "the original";
  try {
    probe.original = one(original);
    who = "the copy";
    probe.copy = one(copy);
  } catch (const Error& e) {
    probe.original.reset();
    probe.skipped = fmt::format("{} fails at it: {}", who, e.what());
  }
}

namespace {

Movement movement(const Runner& model, const std::vector<Value>& usual,
                  const std::vector<Value>& changed) {
  Movement most;
  for (size_t i = 0; i < usual.size() && i < changed.size(); ++i)
    add_movement(most, model.outputs()[i].name, usual[i], changed[i]);
  return most;
}

Probe repetition(const ProbeSubject& original, const ProbeSubject& copy,
                 const SampleSource& source) {
  Probe probe;
  probe.name = "repetition";
  probe.what = "the same batch twice";
  const Batch batch = source.batch(0);
  measure(probe, original, copy, [&](const ProbeSubject& model) {
    const auto first = model.usual->run(batch.feed);
    return movement(*model.usual, first, model.usual->run(batch.feed));
  });
  return probe;
}

Probe another_session(Probe probe, const ProbeSubject& original,
                      const ProbeSubject& copy, const SampleSource& source,
                      const SessionOptions& session) {
  const Batch batch = source.batch(0);
  measure(probe, original, copy, [&](const ProbeSubject& model) {
    const auto usual = model.usual->run(batch.feed);
    const auto other = model.open(session);
    return movement(*model.usual, usual, other->run(batch.feed));
  });
  return probe;
}

Probe threads(const ProbeSubject& original, const ProbeSubject& copy,
              const SampleSource& source, const ProbeOptions& options) {
  Probe probe;
  probe.name = "threads";
  if (options.threads <= 1) {
    probe.skipped = "the runtime has one thread only";
    return probe;
  }
  probe.what = fmt::format("1 thread and {}", options.threads);
  SessionOptions session = options.session;
  session.single_thread = true;
  return another_session(std::move(probe), original, copy, source, session);
}

Probe optimization(const ProbeSubject& original, const ProbeSubject& copy,
                   const SampleSource& source, const ProbeOptions& options) {
  Probe probe;
  probe.name = "optimization";
  if (options.session.optimization == Optimization::disabled) {
    probe.skipped = "the runtime's optimizations are off already";
    return probe;
  }
  probe.what = "the runtime's graph optimizations on and off";
  SessionOptions session = options.session;
  session.optimization = Optimization::disabled;
  return another_session(std::move(probe), original, copy, source, session);
}

}  // namespace

std::vector<Probe> run_probes(const ProbeSubject& original,
                              const ProbeSubject& copy,
                              const SampleSource& samples,
                              const ProbeOptions& options) {
  std::vector<Probe> out;
  const auto add = [&](const char* name, const auto& make) {
    if (options.stop && *options.stop)
      out.push_back({name, "", "the run was interrupted", {}, {}});
    else
      out.push_back(make());
  };
  add("batch_mates",
      [&] { return probe_batch_mates(original, copy, samples); });
  add("padding", [&] { return probe_padding(original, copy, samples); });
  add("repetition", [&] { return repetition(original, copy, samples); });
  add("threads", [&] { return threads(original, copy, samples, options); });
  add("optimization",
      [&] { return optimization(original, copy, samples, options); });
  return out;
}

}  // namespace octavo
