#include "compare/comparison.h"

#include <fmt/format.h>

#include "compare/checks.h"
#include "compare/pack.h"
#include "compare/pairing.h"
#include "octavo/error.h"
#include "runtime/read_ahead.h"

namespace octavo {
namespace {

constexpr uint32_t kTag = 0x3250434f;  // "OCP2"

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

void put(Packer& out, const std::vector<std::string>& texts) {
  out.put(static_cast<uint64_t>(texts.size()));
  for (const std::string& s : texts) out.put(s);
}

std::vector<std::string> texts(Unpacker& in) {
  std::vector<std::string> out(in.count(sizeof(uint64_t)));
  for (std::string& s : out) in.get(s);
  return out;
}

template <typename Io, typename Stats>
void fields(Io io, Stats& s) {
  io(s.samples_description), io(s.synthetic), io(s.partial);
  io(s.batches), io(s.samples);
}

}  // namespace

ComparisonStats accumulate(Runner& reference, Runner& candidate,
                           const SampleSource& samples,
                           const CompareOptions& options, int64_t begin,
                           int64_t end) {
  const Pairing pairing = pair_outputs(reference, candidate, options.map);
  const Task task(options, pairing.pairs);
  ComparisonStats stats;
  stats.only_reference = pairing.only_reference;
  stats.only_candidate = pairing.only_candidate;
  stats.synthetic = samples.synthetic();
  stats.samples_description = samples.description();
  stats.outputs.resize(pairing.pairs.size());
  for (PartStats& s : stats.outputs) s.views = options.views;
  for (const OutputPair& pair : pairing.pairs) stats.notes.push_back(pair.note);
  const auto specs = match_specs(options.matches, reference.outputs());
  for (const OutputPair& pair : pairing.pairs) {
    auto& match = stats.matches.emplace_back();
    if (const auto& spec = specs[pair.reference]) match.emplace().spec = *spec;
  }
  ReadAhead batches(samples, begin, end);
  for (int64_t b = begin; b < end; ++b) {
    if (options.stop && *options.stop) {
      stats.partial = true;
      break;
    }
    const Batch batch = batches.next().value();
    const std::vector<Value> r = run_reference(reference, batch);
    const std::vector<Value> c = run_candidate(candidate, batch);
    check_count(r, reference, "the original");
    check_count(c, candidate, "the quantized copy");
    Place place{b, batch.first, batch.count, ""};
    for (size_t i = 0; i < pairing.pairs.size(); ++i) {
      const OutputPair& pair = pairing.pairs[i];
      place.path = pair.name;
      if (stats.matches[i])
        update(*stats.matches[i], r[pair.reference], c[pair.candidate], place);
      else
        walk(stats.outputs[i], r[pair.reference], c[pair.candidate], place);
    }
    task.update(stats.task, r, c, place);
    if (options.observe) options.observe(r, c);
    ++stats.batches;
    stats.samples += batch.count;
    if (options.progress)
      options.progress(
          {stats.batches, end - begin, stats.samples, samples.samples()});
  }
  return stats;
}

void merge(ComparisonStats& stats, const ComparisonStats& other) {
  if (stats.outputs.size() != other.outputs.size() ||
      stats.only_reference != other.only_reference ||
      stats.only_candidate != other.only_candidate)
    throw Error(ErrorKind::usage,
                "these statistics are of models with other outputs, and "
                "cannot be added up");
  for (size_t i = 0; i < stats.outputs.size(); ++i)
    for (const OutputStats& part : other.outputs[i].parts)
      merge(stats.outputs[i].part(part.name), part);
  for (size_t i = 0; i < stats.matches.size(); ++i)
    if (stats.matches[i] && i < other.matches.size() && other.matches[i])
      merge(*stats.matches[i], *other.matches[i]);
  merge(stats.task, other.task);
  stats.synthetic = stats.synthetic || other.synthetic;
  stats.partial = stats.partial || other.partial;
  stats.batches += other.batches;
  stats.samples += other.samples;
}

CompareResult finish(const ComparisonStats& stats,
                     const CompareOptions& options) {
  CompareResult result;
  result.only_reference = stats.only_reference;
  result.only_candidate = stats.only_candidate;
  result.synthetic = stats.synthetic;
  result.partial = stats.partial;
  result.batches = stats.batches;
  result.samples = stats.samples;
  result.samples_description = stats.samples_description;
  for (size_t i = 0; i < stats.outputs.size(); ++i)
    for (const OutputStats& part : stats.outputs[i].parts) {
      result.outputs.push_back(finish(part));
      if (!stats.notes[i].empty())
        result.outputs.back().notes.push_back(stats.notes[i]);
    }
  for (const auto& match : stats.matches)
    if (match) result.matches.push_back(finish(*match));
  TaskSummary summary = finish(stats.task, options.seed);
  result.answers = std::move(summary.answers);
  result.metrics = std::move(summary.metrics);
  result.checks = make_checks(result, options.tolerances);
  return result;
}

std::vector<std::byte> to_bytes(const ComparisonStats& stats) {
  Packer out;
  out.put(kTag);
  fields([&](const auto& v) { out.put(v); }, stats);
  put(out, stats.only_reference);
  put(out, stats.only_candidate);
  put(out, stats.notes);
  out.put(static_cast<uint64_t>(stats.outputs.size()));
  for (const PartStats& output : stats.outputs) {
    out.put(static_cast<uint64_t>(output.parts.size()));
    for (const OutputStats& part : output.parts) out.put(to_bytes(part));
  }
  out.put(static_cast<uint64_t>(stats.matches.size()));
  for (const auto& match : stats.matches) {
    out.put(static_cast<uint8_t>(match.has_value()));
    if (match) put(out, *match);
  }
  out.put(to_bytes(stats.task));
  return out.take();
}

ComparisonStats comparison_stats_from_bytes(Bytes bytes) {
  Unpacker in(bytes);
  if (in.get<uint32_t>() != kTag) Unpacker::broken();
  ComparisonStats stats;
  fields([&](auto& v) { in.get(v); }, stats);
  stats.only_reference = texts(in);
  stats.only_candidate = texts(in);
  stats.notes = texts(in);
  stats.outputs.resize(in.count(sizeof(uint64_t)));
  if (stats.notes.size() != stats.outputs.size()) Unpacker::broken();
  for (PartStats& output : stats.outputs) {
    const uint64_t parts = in.count(sizeof(uint64_t));
    for (uint64_t i = 0; i < parts; ++i)
      output.parts.push_back(output_stats_from_bytes(in.blob()));
  }
  stats.matches.resize(in.count(1));
  for (auto& match : stats.matches)
    if (in.get<bool>()) get(in, match.emplace());
  stats.task = task_stats_from_bytes(in.blob());
  if (!in.done()) Unpacker::broken();
  return stats;
}

}  // namespace octavo
