#include "compare/task_stats.h"

#include <algorithm>

#include "compare/records.h"

namespace octavo {
namespace {

constexpr uint32_t kTag = 0x314b434f;  // "OCK1"
constexpr size_t kMostSpecs = 1000;

template <typename Io, typename Stats>
void fields(Io io, Stats& s) {
  for (auto& output : s.outputs) io(output);
  io(s.uncounted);
}

// Those that one family takes, in order.
std::vector<MetricSpec> of_family(const TaskStats& stats, MetricFamily family) {
  std::vector<MetricSpec> specs;
  for (const MetricSpec& spec : stats.specs)
    if (family_of(spec.metric) == family) specs.push_back(spec);
  return specs;
}

std::vector<ReadyMetric> ready_metrics(const TaskStats& stats) {
  std::vector<ReadyMetric> ready =
      answer_metrics(stats.answers, of_family(stats, MetricFamily::answers));
  for (ReadyMetric& m :
       value_metrics(stats.values, of_family(stats, MetricFamily::values)))
    ready.push_back(std::move(m));
  if (!of_family(stats, MetricFamily::scores).empty())
    ready.push_back(auc_metric(stats.scores));
  if (!of_family(stats, MetricFamily::tokens).empty())
    ready.push_back(perplexity_metric(stats.tokens));
  if (!of_family(stats, MetricFamily::embeddings).empty())
    ready.push_back(retrieval_metric(stats.embeddings));
  return ready;
}

}  // namespace

MetricFamily family_of(Metric metric) noexcept {
  switch (metric) {
    case Metric::mae:
    case Metric::rmse:
    case Metric::r2:
      return MetricFamily::values;
    case Metric::auc:
      return MetricFamily::scores;
    case Metric::perplexity:
      return MetricFamily::tokens;
    case Metric::cosine_retrieval:
      return MetricFamily::embeddings;
    default:
      return MetricFamily::answers;
  }
}

void merge(TaskStats& stats, const TaskStats& other) {
  if (stats.specs.empty()) stats.specs = other.specs;
  for (size_t i = 0; i < kFamilies; ++i)
    if (stats.outputs[i].empty()) stats.outputs[i] = other.outputs[i];
  stats.uncounted += other.uncounted;
  merge(stats.answers, other.answers);
  merge(stats.values, other.values);
  merge(stats.scores, other.scores);
  merge(stats.tokens, other.tokens);
  merge(stats.embeddings, other.embeddings);
}

TaskSummary finish(const TaskStats& stats, uint64_t seed) {
  TaskSummary out;
  if (!of_family(stats, MetricFamily::answers).empty()) {
    out.answers = finish(stats.answers);
    out.answers->output =
        stats.outputs[static_cast<size_t>(MetricFamily::answers)];
    out.answers->uncounted = stats.uncounted;
  }
  const std::vector<ReadyMetric> ready = ready_metrics(stats);
  for (const MetricSpec& spec : stats.specs) {
    const auto found =
        std::find_if(ready.begin(), ready.end(),
                     [&](const ReadyMetric& m) { return m.spec == spec; });
    if (found == ready.end()) continue;
    out.metrics.push_back(summarize(*found, seed));
    out.metrics.back().output =
        stats.outputs[static_cast<size_t>(family_of(spec.metric))];
    out.metrics.back().uncounted = stats.uncounted;
  }
  return out;
}

std::vector<std::byte> to_bytes(const TaskStats& stats) {
  Packer out;
  out.put(kTag);
  out.put(static_cast<uint64_t>(stats.specs.size()));
  for (const MetricSpec& spec : stats.specs)
    out.put(spec.metric), out.put(spec.k);
  fields([&](const auto& v) { out.put(v); }, stats);
  out.put(to_bytes(stats.answers));
  out.put(to_bytes(stats.values));
  out.put(to_bytes(stats.scores));
  out.put(to_bytes(stats.tokens));
  out.put(to_bytes(stats.embeddings));
  return out.take();
}

TaskStats task_stats_from_bytes(Bytes bytes) {
  Unpacker in(bytes);
  if (in.get<uint32_t>() != kTag) Unpacker::broken();
  TaskStats stats;
  const uint64_t specs = in.count(sizeof(Metric) + sizeof(int64_t));
  if (specs > kMostSpecs) Unpacker::broken();
  stats.specs.resize(specs);
  for (MetricSpec& spec : stats.specs) {
    in.get(spec.metric), in.get(spec.k);
    if (spec.metric < Metric::accuracy ||
        spec.metric > Metric::cosine_retrieval)
      Unpacker::broken();
  }
  fields([&](auto& v) { in.get(v); }, stats);
  stats.answers = answer_stats_from_bytes(in.blob());
  stats.values = value_errors_from_bytes(in.blob());
  stats.scores = binary_scores_from_bytes(in.blob());
  stats.tokens = token_losses_from_bytes(in.blob());
  stats.embeddings = embeddings_from_bytes(in.blob());
  if (!in.done()) Unpacker::broken();
  return stats;
}

}  // namespace octavo
