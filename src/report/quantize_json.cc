#include "report/quantize_json.h"

#include "base/version.h"
#include "report/plan_json.h"

namespace octavo {
namespace {

Json saturation_json(const QuantizeContext& c) {
  Json weights = Json::array();
  for (const Saturation& s : c.result.saturation)
    weights.push_back(
        {{"weight", s.weight}, {"pairs", s.pairs}, {"at_risk", s.at_risk}});
  return {{"processor_has_vnni", c.vnni}, {"weights", weights}};
}

}  // namespace

Json check_json(const QuantizeContext& c) {
  return {{"loads", c.checked ? Json(true) : Json(nullptr)}, {"text", c.check}};
}

Json quantize_json(const QuantizeContext& c) {
  Json j;
  j["schema"] = "octavo.quantize/1";
  j["octavo"] = version();
  j["input"] = {{"path", c.input}, {"bytes", c.result.bytes_before}};
  if (c.dry_run) {
    j["output"] = nullptr;
  } else {
    j["output"] = {{"path", c.output},
                   {"bytes", c.result.bytes_after},
                   {"external_bytes", c.result.written.external_bytes},
                   {"ratio", static_cast<double>(c.result.bytes_after) /
                                 static_cast<double>(c.result.bytes_before)}};
    j["check"] = check_json(c);
    j["saturation"] = saturation_json(c);
    j["seconds"] = c.seconds;
  }
  j.update(plan_json(c.result.plan));
  return j;
}

}  // namespace octavo
