#include "report/plan_json.h"

#include <fmt/format.h>

#include <type_traits>

#include "base/names.h"
#include "base/version.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr const char* kSchema = "octavo.plan/1";
constexpr int kMaxDepth = 16;  // of the document; a plan has 4

Json decision_json(const Decision& d) {
  Json j;
  j["node"] = d.node;
  j["op"] = d.op;
  j["domain"] = d.domain;
  j["scope"] = d.scope;
  j["graph"] = d.scope_index;
  j["index"] = d.index;
  j["action"] = action_name(d.action);
  j["quantized"] = d.action != Action::keep;
  j["weights"] = d.weights;
  j["bytes_before"] = d.bytes_before;
  j["bytes_after"] = d.bytes_after;
  j["reason"] = d.reason;
  return j;
}

[[noreturn]] void bad(const std::string& sentence) {
  throw Error(ErrorKind::format, "the plan " + sentence);
}

// A member of an object, of the type that it must have.
template <typename T>
T member(const Json& object, const char* key, const std::string& where) {
  const auto it = object.find(key);
  if (it == object.end()) bad(fmt::format("lacks {}.{}.", where, key));
  // A number with a fraction, or out of range, is no int64.
  const bool fits = !std::is_same_v<T, int64_t> || it->is_number_integer();
  try {
    if (fits) return it->template get<T>();
  } catch (const Json::exception&) {
  }
  bad(fmt::format("has {}.{} of another type than was expected.", where, key));
}

ConvMode conv_mode_named(const std::string& name) {
  for (const ConvMode mode :
       {ConvMode::storage, ConvMode::integer, ConvMode::keep})
    if (name == conv_mode_name(mode)) return mode;
  bad(fmt::format(
      "has recipe.conv '{}'; storage, integer or keep was expected.", name));
}

Recipe read_recipe(const Json& j) {
  using Names = std::vector<std::string>;
  Recipe r;
  r.name = member<std::string>(j, "name", "recipe");
  const auto type = member<std::string>(j, "weight_type", "recipe");
  if (type != "int8" && type != "uint8")
    bad(fmt::format("has recipe.weight_type '{}'; int8 or uint8 was expected.",
                    type));
  r.weight_type = type == "int8" ? DType::int8 : DType::uint8;
  if (r.name != "safe" && r.name != "ort" && r.name != "ort-1.32")
    bad(fmt::format("has recipe.name '{}'; safe, ort or ort-1.32 was expected.",
                    r.name));
  r.per_channel = member<bool>(j, "per_channel", "recipe");
  r.min_bytes = member<int64_t>(j, "min_bytes", "recipe");
  r.conv = conv_mode_named(member<std::string>(j, "conv", "recipe"));
  r.standard_ops = member<bool>(j, "standard_ops", "recipe");
  if (j.contains("weights")) {  // plans of older versions have none of these
    const auto form = member<std::string>(j, "weights", "recipe");
    const auto scale = member<std::string>(j, "scale", "recipe");
    if (!weight_form_named(form))
      bad(fmt::format("has recipe.weights '{}'; one of {} was expected.", form,
                      name_list(weight_form_names())));
    if (!scaling_named(scale))
      bad(fmt::format("has recipe.scale '{}'; range or mse was expected.",
                      scale));
    r.weights = *weight_form_named(form);
    r.scaling = *scaling_named(scale);
    r.block = member<int64_t>(j, "block", "recipe");
    if (r.block < 16 || r.block > 256 || (r.block & (r.block - 1)) != 0)
      bad(
          fmt::format("has recipe.block {}; 16, 32, 64, 128 or 256 was "
                      "expected.",
                      r.block));
    r.asymmetric = member<bool>(j, "asymmetric", "recipe");
    r.accuracy_level = member<int64_t>(j, "accuracy_level", "recipe");
    if (r.accuracy_level < 0 || r.accuracy_level > 4)
      bad(fmt::format("has recipe.accuracy_level {}; 0 to 4 was expected.",
                      r.accuracy_level));
  }
  r.reduce_range = member<bool>(j, "reduce_range", "recipe");
  r.assume_constant = member<Names>(j, "assume_constant", "recipe");
  r.include = member<Names>(j, "include", "recipe");
  r.exclude = member<Names>(j, "exclude", "recipe");
  r.ops = member<Names>(j, "ops", "recipe");
  r.scopes = member<Names>(j, "scope", "recipe");
  return r;
}

// A member that no plan has is a slip, which would change nothing in silence.
void require_known(const Json& object, const Json& known,
                   const std::string& where) {
  std::vector<std::string> names;
  for (const auto& [name, value] : known.items()) names.push_back(name);
  for (const auto& [name, value] : object.items()) {
    if (known.contains(name)) continue;
    const std::string hint = did_you_mean(name, names);
    bad(fmt::format(
        "has {}.{}, which no plan has; {}", where, name,
        hint.empty() ? "there are " + name_list(names, 30) + "." : hint));
  }
}

Wish read_wish(const Json& j, size_t i) {
  const std::string where = fmt::format("decisions[{}]", i);
  if (!j.is_object()) bad(fmt::format("has {} that is no object.", where));
  static const Json known = decision_json({});
  require_known(j, known, where);
  Wish w;
  w.scope_index = member<int64_t>(j, "graph", where);
  w.index = member<int64_t>(j, "index", where);
  w.node = member<std::string>(j, "node", where);
  w.op = member<std::string>(j, "op", where);
  const auto name = member<std::string>(j, "action", where);
  const auto action = action_named(name);
  if (!action)
    bad(fmt::format("has {}.action '{}'; one of {} was expected.", where, name,
                    name_list(action_names())));
  w.action = *action;
  return w;
}

}  // namespace

Json plan_json(const Plan& plan) {
  Json j;
  j["recipe"] = {{"name", plan.recipe.name},
                 {"weight_type", dtype_name(plan.recipe.weight_type)},
                 {"per_channel", plan.recipe.per_channel},
                 {"min_bytes", plan.recipe.min_bytes},
                 {"conv", conv_mode_name(plan.recipe.conv)},
                 {"weights", weight_form_name(plan.recipe.weights)},
                 {"scale", scaling_name(plan.recipe.scaling)},
                 {"block", plan.recipe.block},
                 {"asymmetric", plan.recipe.asymmetric},
                 {"accuracy_level", plan.recipe.accuracy_level},
                 {"standard_ops", plan.recipe.standard_ops},
                 {"reduce_range", plan.recipe.reduce_range},
                 {"assume_constant", plan.recipe.assume_constant},
                 {"include", plan.recipe.include},
                 {"exclude", plan.recipe.exclude},
                 {"ops", plan.recipe.ops},
                 {"scope", plan.recipe.scopes}};
  j["quantized_share"] = quantized_share(plan);
  const RuntimeNeed need = needed_runtime(plan);
  j["needs_runtime"] = need.version;
  j["candidates"] = plan.candidates;
  j["quantized"] = plan.quantized;
  j["converted_from_opset"] =
      plan.converted_from == 0 ? Json(nullptr) : Json(plan.converted_from);
  j["converted"] = plan.converted;
  j["quantized_before"] = plan.already;
  j["prepared"] = plan.prepared;
  j["decisions"] = Json::array();
  for (const Decision& d : plan.decisions)
    j["decisions"].push_back(decision_json(d));
  return j;
}

Json plan_document(const Plan& plan, const std::string& input,
                   const std::string& fingerprint) {
  Json j;
  j["schema"] = kSchema;
  j["octavo"] = version();
  j["input"] = {{"path", input}, {"fingerprint", fingerprint}};
  j.update(plan_json(plan));
  return j;
}

ReadPlan read_plan(std::string_view text) {
  // Copying a value recurses, so that its depth must not be the file's to say.
  const auto shallow = [](int depth, Json::parse_event_t, const Json&) {
    if (depth > kMaxDepth)
      bad(fmt::format("nests deeper than {}, as no plan does.", kMaxDepth));
    return true;
  };
  Json j;
  try {
    j = Json::parse(text, shallow);
  } catch (const Json::exception& e) {
    bad(fmt::format("is no JSON: {}.", e.what()));
  }
  if (!j.is_object() || j.value("schema", Json()) != kSchema)
    bad(
        fmt::format("is no document with \"schema\": \"{}\"; `octavo plan -o` "
                    "writes one.",
                    kSchema));
  ReadPlan out;
  const auto input = member<Json>(j, "input", "it");
  if (!input.is_object()) bad("has an input that is no object.");
  out.input = member<std::string>(input, "path", "input");
  out.fingerprint = member<std::string>(input, "fingerprint", "input");
  const auto recipe = member<Json>(j, "recipe", "it");
  if (!recipe.is_object()) bad("has a recipe that is no object.");
  require_known(recipe, plan_json({}).at("recipe"), "recipe");
  out.recipe = read_recipe(recipe);
  const auto from = j.find("converted_from_opset");
  out.recipe.keep_opset = from == j.end() || from->is_null();
  const auto decisions = member<Json>(j, "decisions", "it");
  if (!decisions.is_array()) bad("has decisions that are no array.");
  for (size_t i = 0; i < decisions.size(); ++i)
    out.recipe.wishes.push_back(read_wish(decisions[i], i));
  return out;
}

}  // namespace octavo
