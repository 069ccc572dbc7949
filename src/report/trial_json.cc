#include "report/compare_json.h"
#include "report/plan_json.h"
#include "report/quantize_json.h"
#include "report/trial.h"

namespace octavo {
namespace {

Json latency_json(const TrialReport& r) {
  if (!r.latency) return nullptr;
  const LatencyResult& l = *r.latency;
  Json j;
  j["unit"] = "seconds per call";
  j["samples_per_call"] = r.samples_per_call;
  j["original_median"] = json_number(l.reference_median);
  j["original_mad"] = json_number(l.reference_mad);
  j["copy_median"] = json_number(l.candidate_median);
  j["copy_mad"] = json_number(l.candidate_mad);
  j["speed_ratio"] = json_number(l.ratio);
  j["interval_95"] = {json_number(l.interval.low),
                      json_number(l.interval.high)};
  j["outcome"] = outcome_name(l.outcome);
  j["rounds"] = Json::array();
  for (const Round& round : l.rounds) {
    Json one;
    one["original"] = round.reference;
    one["copy"] = round.candidate;
    j["rounds"].push_back(std::move(one));
  }
  return j;
}

Json size_json(const QuantizeResult& r) {
  Json j;
  j["original_bytes"] = r.bytes_before;
  j["copy_bytes"] = r.bytes_after;
  j["ratio"] = r.bytes_before > 0 ? Json(static_cast<double>(r.bytes_after) /
                                         static_cast<double>(r.bytes_before))
                                  : Json(nullptr);
  return j;
}

}  // namespace

Json trial_json(const TrialReport& r) {
  Json j;
  j["schema"] = "octavo.trial/1";
  j["verdict"] = verdict_name(r.comparison.verdict());
  j["size"] = size_json(r.quantized.result);
  j["latency"] = latency_json(r);
  j["plan"] = plan_json(r.quantized.result.plan);
  j["check"] = check_json(r.quantized);
  j["comparison"] = compare_json(r.comparison, r.context);
  j["files"] = r.files;
  return j;
}

}  // namespace octavo
