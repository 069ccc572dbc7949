// prepare_and_plan: what must change in a model before its nodes can be judged.
// Each step is tried first and taken only where something is quantized for it.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/names.h"
#include "base/pattern.h"
#include "graph/inline.h"
#include "octavo/error.h"
#include "octavo/inspect.h"
#include "octavo/plan.h"
#include "quant/ort/preset.h"
#include "quant/rules.h"

namespace octavo {
namespace {

std::string count(size_t n, const char* noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

// The recipe for all nodes, whatever is selected: what selection says of names
// must not depend on what it makes of the model.
Recipe for_all_nodes(Recipe recipe) {
  // Asking for nodes means to quantize a quantized model further.
  const bool asked = !recipe.include.empty() || !recipe.ops.empty();
  recipe.include.clear();
  if (asked) recipe.include = {"*"};
  recipe.exclude.clear();
  recipe.ops.clear();
  recipe.scopes.clear();
  recipe.wishes.clear();
  return recipe;
}

// Overridable inputs that a pattern names are inputs no more.
void assume_constants(onnx::ModelProto& model,
                      const std::vector<std::string>& patterns,
                      std::vector<std::string>& notes) {
  if (patterns.empty()) return;
  std::set<std::string> initializers;
  for (const auto& t : model.graph().initializer())
    initializers.insert(t.name());
  std::vector<std::string> overridable, assumed;
  // Until IR 3 all initializers stand among the inputs and are constants.
  if (model.ir_version() >= 4)
    for (const auto& v : model.graph().input())
      if (initializers.contains(v.name())) overridable.push_back(v.name());
  std::set<std::string> matched;
  for (const auto& text : patterns) {
    const NamePattern pattern(text);
    bool any = false;
    for (const auto& name : overridable)
      if (pattern.matches(name)) any = true, matched.insert(name);
    if (any) continue;
    const std::string hint = did_you_mean(text, overridable);
    throw Error(
        ErrorKind::usage,
        fmt::format("--assume-constant '{}' matches no input of this model "
                    "that has an initializer{}{}",
                    text, hint.empty() ? "; these do: " : "; ",
                    hint.empty() ? name_list(overridable) + "." : hint));
  }
  auto& inputs = *model.mutable_graph()->mutable_input();
  inputs.erase(
      std::remove_if(inputs.begin(), inputs.end(),
                     [&](const auto& v) { return matched.contains(v.name()); }),
      inputs.end());
  assumed.assign(matched.begin(), matched.end());
  notes.push_back(
      fmt::format("{} {} assumed constant and no longer {} of the model",
                  name_list(assumed), assumed.size() == 1 ? "is" : "are",
                  assumed.size() == 1 ? "an input" : "inputs"));
}

using WantedCall = std::function<bool(size_t, const onnx::NodeProto&)>;

// Of functions that hold nodes that could be quantized.
Inlined inline_candidates(ModelData& data, const WantedCall& wanted) {
  const Functions functions(data.proto);
  return inline_calls(
      data,
      [&](const onnx::FunctionProto& f) {
        return functions.holds(f, [](const onnx::NodeProto& node) {
          return find_rule(node) != nullptr;
        });
      },
      wanted);
}

// Inlines the calls in which something will be quantized.
void inline_functions(Model& model, const Recipe& recipe,
                      std::vector<std::string>& notes) {
  ModelData& data = model.data();
  if (data.proto.functions_size() == 0) return;
  onnx::ModelProto before = data.proto;
  const Inlined all =
      inline_candidates(data, [](size_t, const auto&) { return true; });
  std::set<size_t> gain;
  if (all.calls > 0)
    for (const Decision& d : make_plan(model, for_all_nodes(recipe)).decisions)
      if (d.action != Action::keep)
        if (const auto it = all.origin.find(d.node); it != all.origin.end())
          gain.insert(it->second);
  data.proto.Swap(&before);
  if (gain.empty()) return;
  const Inlined done = inline_candidates(
      data, [&](size_t call, const auto&) { return gain.contains(call); });
  const std::vector<std::string> names(done.functions.begin(),
                                       done.functions.end());
  notes.push_back(fmt::format("{} of {} inlined", count(done.calls, "call"),
                              name_list(names)));
}

// A call by what it gives, which inlining does not change.
std::string call_key(const onnx::NodeProto& node) {
  std::string key = node.domain() + '\n' + node.op_type();
  for (const auto& output : node.output()) key += '\n' + output;
  return key;
}

}  // namespace

void inline_like(Model& original, const Model& copy) {
  if (original.data().proto.functions_size() == 0) return;
  std::set<std::string> kept;
  for_each_graph(copy.data().proto.graph(), [&](const onnx::GraphProto& g) {
    for (const auto& node : g.node()) kept.insert(call_key(node));
  });
  inline_candidates(original.data(), [&](size_t, const onnx::NodeProto& call) {
    return !kept.contains(call_key(call));
  });
}

Plan prepare_and_plan(Model& model, const Recipe& recipe,
                      const Findings& findings) {
  onnx::ModelProto& proto = model.data().proto;
  const bool ready =
      proto.functions_size() == 0 && recipe.assume_constant.empty();
  if (ready || ort::is_preset(recipe.name))
    return make_plan(model, recipe, findings);
  onnx::ModelProto before = proto;
  std::vector<std::string> notes;
  assume_constants(proto, recipe.assume_constant, notes);
  inline_functions(model, recipe, notes);
  Plan plan = make_plan(model, recipe, findings);
  if (plan.quantized > 0)
    plan.prepared = std::move(notes);
  else
    proto.Swap(&before);
  return plan;
}

}  // namespace octavo
