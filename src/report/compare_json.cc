#include "report/compare_json.h"

#include "report/layers_report.h"
#include "report/probes_report.h"

namespace octavo {
namespace {

Json scalar_json(const Scalar& v) {
  if (const auto* d = std::get_if<double>(&v)) return json_number(*d);
  return std::visit([](const auto& x) { return Json(x); }, v);
}

const char* measure_name(Measure measure) {
  switch (measure) {
    case Measure::numeric:
      return "numeric";
    case Measure::integer:
      return "integer";
    case Measure::exact:
      return "exact";
    case Measure::none:
      break;
  }
  return "none";
}

Json element_json(const std::optional<WorstElement>& w) {
  if (!w) return nullptr;
  Json j;
  j["path"] = w->path;
  j["batch"] = w->batch;
  j["sample"] = w->sample < 0 ? Json(nullptr) : Json(w->sample);
  j["index"] = w->index;
  j["original"] = scalar_json(w->reference);
  j["copy"] = scalar_json(w->candidate);
  return j;
}

Json non_finite_json(const NonFinite& n) {
  Json j;
  j["original_nan"] = n.reference_nan;
  j["original_infinity"] = n.reference_inf;
  j["copy_nan"] = n.candidate_nan;
  j["copy_infinity"] = n.candidate_inf;
  j["matching"] = n.matching;
  j["mismatching"] = n.mismatching;
  j["nan_became_finite"] = n.nan_became_finite;
  return j;
}

Json spread_json(const SpreadSummary& s) {
  Json j;
  j["p50"] = json_number(s.p50);
  j["p90"] = json_number(s.p90);
  j["p99"] = json_number(s.p99);
  j["p999"] = json_number(s.p999);
  j["quantile_error"] = 1.0 / 32;
  j["max_relative"] = json_number(s.max_relative);
  j["mean_relative"] = json_number(s.mean_relative);
  j["relative_guard"] = 1e-6;
  j["pearson"] = json_number(s.pearson);
  j["histogram"] = Json::array();
  for (const auto& bin : s.histogram)
    j["histogram"].push_back({{"below", bin.below}, {"pairs", bin.pairs}});
  j["worst_samples"] = Json::array();
  for (const SampleDifference& d : s.worst)
    j["worst_samples"].push_back({{"sample", d.sample},
                                  {"max_abs", d.max_abs},
                                  {"rmse", d.rmse},
                                  {"relative_l2", json_number(d.relative_l2)},
                                  {"cosine", json_number(d.cosine)}});
  return j;
}

Json scores_json(const std::optional<ScoreAgreement>& s) {
  if (!s) return nullptr;
  return {{"kind", s->logits ? "logits" : "probabilities"},
          {"rows", s->rows},
          {"kl", json_number(s->kl)},
          {"top1_agreement", json_number(s->top1)},
          {"top5_agreement", json_number(s->top5)}};
}

Json channels_json(const OutputSummary& o) {
  if (o.channel_count == 0) return nullptr;
  Json worst = Json::array();
  for (const ChannelDifference& c : o.channels)
    worst.push_back({{"channel", c.channel},
                     {"max_abs", json_number(c.max_abs)},
                     {"rmse", json_number(c.rmse)},
                     {"relative_l2", json_number(c.relative_l2)}});
  return {{"count", o.channel_count}, {"worst", std::move(worst)}};
}

}  // namespace

Json output_json(const OutputSummary& o) {
  Json j;
  j["name"] = o.name;
  j["type"] = o.type == DType::undefined
                  ? Json(nullptr)
                  : Json(std::string(dtype_name(o.type)));
  j["measure"] = measure_name(o.measure);
  j["shape"] = o.last_shape;
  j["batches"] = o.batches;
  j["elements"] = o.elements;
  j["equal"] = o.equal;
  j["equal_share"] = o.elements == 0 ? Json(nullptr)
                                     : Json(static_cast<double>(o.equal) /
                                            static_cast<double>(o.elements));
  j["max_abs"] = o.max_abs ? scalar_json(*o.max_abs) : Json(nullptr);
  j["mean_abs"] = json_number(o.mean_abs);
  j["rmse"] = json_number(o.rmse);
  j["relative_l2"] = json_number(o.relative_l2);
  j["cosine"] = json_number(o.cosine);
  j["sqnr_db"] = json_number(o.sqnr_db);
  j["spread"] =
      o.measure == Measure::numeric ? spread_json(o.spread) : Json(nullptr);
  j["outside"] = json_number(o.outside);
  j["scores"] = scores_json(o.scores);
  j["channels"] = channels_json(o);
  j["worst"] = element_json(o.worst);
  j["non_finite"] = non_finite_json(o.non_finite);
  j["first_non_finite"] = element_json(o.first_non_finite);
  j["failed_batches"] = o.failed_batches;
  j["first_failed_batch"] =
      o.failed_batches > 0 ? Json(o.first_failed_batch) : Json(nullptr);
  j["failure"] = o.failure.empty() ? Json(nullptr) : Json(o.failure);
  j["notes"] = o.notes;
  return j;
}

namespace {

Json model_json(const std::string& path, uint64_t bytes) {
  Json j;
  j["path"] = path;
  j["bytes"] = bytes > 0 ? Json(bytes) : Json(nullptr);
  return j;
}

}  // namespace

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::within:
      return "within";
    case Verdict::outside:
      return "outside";
    case Verdict::none:
      break;
  }
  return "none";
}

Json checks_json(const std::vector<Check>& checks) {
  Json list = Json::array();
  for (const Check& c : checks) {
    Json j;
    j["what"] = c.what;
    j["relation"] = c.relation;
    j["limit"] = json_number(c.limit);
    j["measured"] = json_number(c.measured);
    j["ok"] = c.ok;
    j["detail"] = c.detail.empty() ? Json(nullptr) : Json(c.detail);
    list.push_back(std::move(j));
  }
  return list;
}

Json outputs_json(const CompareResult& result) {
  Json list = Json::array();
  for (const OutputSummary& o : result.outputs) list.push_back(output_json(o));
  return list;
}

Json matches_json(const CompareResult& result) {
  Json list = Json::array();
  for (const MatchSummary& m : result.matches) {
    Json j;
    j["output"] = m.spec.output;
    j["by"] = m.spec.kind == MatchKind::iou ? "iou" : "cosine";
    j["least"] = json_number(m.spec.least);
    j["sets"] = m.sets;
    j["original_items"] = m.reference;
    j["copy_items"] = m.candidate;
    j["matched"] = m.matched;
    j["recall"] = json_number(m.recall);
    j["precision"] = json_number(m.precision);
    j["mean_likeness"] = json_number(m.mean);
    j["worst_likeness"] = json_number(m.worst);
    j["failed_batches"] = m.failed_batches;
    j["failure"] = m.failure.empty() ? Json(nullptr) : Json(m.failure);
    list.push_back(std::move(j));
  }
  return list;
}

Json samples_json(const CompareResult& result) {
  Json j;
  j["description"] = result.samples_description;
  j["samples"] = result.samples;
  j["batches"] = result.batches;
  j["synthetic"] = result.synthetic;
  j["partial"] = result.partial;
  return j;
}

Json runtime_json(const CompareContext& context) {
  if (context.runtime_version.empty()) return nullptr;
  Json j;
  j["version"] = context.runtime_version;
  j["library"] = context.runtime_library;
  j["providers"] = context.providers;
  j["threads"] = context.threads;
  return j;
}

Json compare_json(const CompareResult& result, const CompareContext& context) {
  Json j;
  j["schema"] = "octavo.compare/1";
  j["verdict"] = verdict_name(result.verdict());
  j["comparable"] = result.comparable();
  j["checks"] = checks_json(result.checks);
  j["answers"] = answers_json(result);
  j["metrics"] = metrics_json(result);
  j["figures"] = figures_json(result);
  j["outputs"] = outputs_json(result);
  j["matches"] = matches_json(result);
  j["only_original"] = result.only_reference;
  j["only_copy"] = result.only_candidate;
  j["probes"] = probes_json(result);
  j["layers"] = context.layers ? layers_json(*context.layers) : Json(nullptr);
  j["samples"] = samples_json(result);
  j["original"] = model_json(context.original, context.original_bytes);
  j["copy"] = model_json(context.copy, context.copy_bytes);
  j["runtime"] = runtime_json(context);
  return j;
}

}  // namespace octavo
