#include "report/quantize_json.h"

#include "base/version.h"

namespace octavo {
namespace {

Json decision_json(const Decision& d) {
  Json j;
  j["node"] = d.node;
  j["op"] = d.op;
  j["domain"] = d.domain;
  j["scope"] = d.scope;
  j["index"] = d.index;
  j["action"] = action_name(d.action);
  j["quantized"] = d.action != Action::keep;
  j["weights"] = d.weights;
  j["bytes_before"] = d.bytes_before;
  j["bytes_after"] = d.bytes_after;
  j["reason"] = d.reason;
  return j;
}

Json saturation_json(const QuantizeContext& c) {
  Json weights = Json::array();
  for (const Saturation& s : c.result.saturation)
    weights.push_back(
        {{"weight", s.weight}, {"pairs", s.pairs}, {"at_risk", s.at_risk}});
  return {{"processor_has_vnni", c.vnni}, {"weights", weights}};
}

}  // namespace

Json plan_json(const Plan& plan) {
  Json j;
  j["recipe"] = {{"name", plan.recipe.name},
                 {"per_channel", plan.recipe.per_channel},
                 {"min_bytes", plan.recipe.min_bytes},
                 {"conv", conv_mode_name(plan.recipe.conv)},
                 {"standard_ops", plan.recipe.standard_ops},
                 {"reduce_range", plan.recipe.reduce_range},
                 {"include", plan.recipe.include},
                 {"exclude", plan.recipe.exclude},
                 {"ops", plan.recipe.ops}};
  j["candidates"] = plan.candidates;
  j["quantized"] = plan.quantized;
  j["quantized_before"] = plan.already;
  j["decisions"] = Json::array();
  for (const Decision& d : plan.decisions)
    j["decisions"].push_back(decision_json(d));
  return j;
}

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
