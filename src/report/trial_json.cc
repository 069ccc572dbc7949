#include "report/compare_json.h"
#include "report/plan_json.h"
#include "report/quantize_json.h"
#include "report/trial.h"

namespace octavo {
namespace {

Json latency_json(const TrialReport& r) {
  if (!r.latency) return nullptr;
  const BenchResult& l = *r.latency;
  const PairRatio& pair = l.pairs.at(0);
  Json j;
  j["unit"] = "seconds per call";
  j["samples_per_call"] = l.samples_per_call;
  for (const ContenderTimes& c : l.contenders) {
    j[c.name + "_median"] = json_number(c.summary.median / 1e9);
    j[c.name + "_mad"] = json_number(c.summary.mad / 1e9);
  }
  j["speed_ratio"] = json_number(pair.ratio);
  j["interval_95"] = {json_number(pair.interval_95.low),
                      json_number(pair.interval_95.high)};
  j["outcome"] = outcome_name(pair.outcome);
  j["rounds"] = Json::array();
  for (size_t i = 0; i < l.rounds; ++i) {
    Json one;
    for (const ContenderTimes& c : l.contenders) {
      one[c.name] = Json::array();
      for (const int64_t ns : c.blocks[i])
        one[c.name].push_back(static_cast<double>(ns) / 1e9);
    }
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
