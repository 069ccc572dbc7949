// make_plan: one decision for each node that holds weights or whose operator
// could be quantized.
#include "octavo/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/inline.h"
#include "graph/opset11.h"
#include "graph/quantized.h"
#include "octavo/error.h"
#include "quant/ort/preset.h"
#include "quant/rules.h"
#include "quant/selection.h"
#include "quant/sharing.h"
#include "quant/wishes.h"

namespace octavo {
namespace {

constexpr Action kActions[] = {Action::keep,         Action::integer,
                               Action::dynamic_lstm, Action::gather,
                               Action::storage,      Action::conv_integer,
                               Action::attention,    Action::embedding,
                               Action::blocks4,      Action::blocks8};
constexpr WeightForm kForms[] = {WeightForm::dynamic, WeightForm::int8,
                                 WeightForm::int4, WeightForm::storage};

constexpr const char* kNormalization =
    "normalization parameters stay float: they are small and sensitive";

bool one_of(std::string_view op, std::initializer_list<std::string_view> ops) {
  for (const auto o : ops)
    if (o == op) return true;
  return false;
}

std::map<std::string, int64_t> quantized_before(const GraphIndex& index) {
  std::map<std::string, int64_t> forms;
  for (const auto& scope : index.scopes())
    for (const auto& node : scope->graph->node())
      if (const auto form = quantized_form(index, *scope, node); !form.empty())
        ++forms[std::string(form)];
  return forms;
}

// Why a model that somebody has quantized is left as it is, unless nodes are
// asked for; "" for all other models.
std::string reason_quantized_before(const Plan& plan) {
  if (plan.already.empty() || !plan.recipe.include.empty() ||
      !plan.recipe.ops.empty())
    return "";
  return "the model is quantized already; name what shall be quantized, too, "
         "with --include or --ops";
}

// Takes a decision back.
void keep(Decision& d, std::string reason) {
  d.action = Action::keep;
  d.inputs.clear();
  d.weights.clear();
  d.bytes_before = d.bytes_after = 0;
  d.reason = std::move(reason);
}

// Why a node without a rule keeps its weights.
std::string reason_without_rule(const onnx::NodeProto& node) {
  const std::string& op = node.op_type();
  if (node.domain() == "com.microsoft") {
    if (one_of(op,
               {"SkipLayerNormalization", "SkipSimplifiedLayerNormalization",
                "SkipGroupNorm", "GroupNorm"}))
      return kNormalization;
    if (one_of(op, {"BiasGelu", "FastGelu", "QuickGelu", "BiasAdd",
                    "BiasDropout", "BiasSoftmax", "BiasSplitGelu",
                    "MultiHeadAttention", "DecoderMaskedMultiHeadAttention"}))
      return "its bias stays float: it is small and sensitive";
  }
  if (node.domain() == "com.microsoft.nchwc")
    return "its weights are packed for one kind of processor; quantize the "
           "model that this one was optimized from";
  if (!domain_of(node).empty())
    return fmt::format("{}::{} is no operator that Octavo knows", node.domain(),
                       op);
  if (one_of(op, {"BatchNormalization", "LayerNormalization",
                  "InstanceNormalization", "GroupNormalization",
                  "RMSNormalization", "LRN", "PRelu"}))
    return kNormalization;
  if (one_of(op, {"Add", "Sub", "Mul", "Div", "Pow", "Min", "Max", "Sum",
                  "Mean", "Where", "Clip", "Equal", "Less", "Greater",
                  "LessOrEqual", "GreaterOrEqual", "Mod"}))
    return "a constant of plain arithmetic stays float";
  return fmt::format("Octavo has no rule for {} yet", op);
}

// Operators that pass constants on; what uses them is judged instead.
bool passes_on(const onnx::NodeProto& node) {
  return domain_of(node).empty() &&
         one_of(
             node.op_type(),
             {"Constant", "Identity", "Cast", "Transpose", "Reshape", "Squeeze",
              "Unsqueeze", "Flatten", "Slice", "Concat", "Split", "Expand",
              "Tile", "Shape", "Pad", "QuantizeLinear", "DequantizeLinear"});
}

// Why a node is none that its operator's rule could be asked about: damaged
// models have nodes without inputs or outputs. (Recurrent operators may leave
// out their first output.)
std::string reason_if_incomplete(const onnx::NodeProto& node,
                                 const OpRule& rule) {
  for (int i = 0; i < rule.required; ++i)
    if (input_name(node, i).empty())
      return fmt::format("it lacks its input {}, so it cannot run", i);
  const bool recurrent = one_of(node.op_type(), {"LSTM", "GRU", "RNN"});
  if (node.output_size() == 0 || (!recurrent && node.output(0).empty()))
    return "it has no output, so nothing uses it";
  return "";
}

// Bytes of the float constants that stand directly at a node.
int64_t constant_bytes(const GraphIndex& index, const Scope& scope,
                       const onnx::NodeProto& node,
                       std::vector<std::string>& names) {
  int64_t bytes = 0;
  for (const auto& input : node.input()) {
    const Definition* d = index.find(&scope, input);
    const auto* t = d ? index.tensor(*d) : nullptr;
    if (!t || !is_float(static_cast<DType>(t->data_type()))) continue;
    bytes += static_cast<int64_t>(payload_size(*t));
    names.push_back(input);
  }
  return bytes;
}

Decision describe(const Scope& scope, int64_t scope_index, int index) {
  const auto& node = scope.node(index);
  Decision d;
  d.node = node.name();
  d.op = node.op_type();
  d.domain = std::string(domain_of(node));
  d.scope = scope.path;
  d.scope_index = scope_index;
  d.index = index;
  return d;
}

// Functions that are still there; what they hold is said once for each.
void report_functions(const ModelData& model, Plan& plan) {
  const Functions functions(model.proto);
  for (const auto& f : model.proto.functions()) {
    const std::string obstacle = functions.obstacle(f);
    for (const auto& node : f.node()) {
      if (!find_rule(node)) continue;
      Decision d;
      d.node = node.name();
      d.op = node.op_type();
      d.scope_index = -1;
      d.scope = fmt::format("function {}::{}", f.domain(), f.name());
      d.reason = obstacle.empty()
                     ? "it stands in a function of the model, of which no call "
                       "was found that has weights to quantize"
                     : fmt::format("it stands in {}, which cannot be inlined",
                                   obstacle);
      ++plan.candidates;
      plan.decisions.push_back(std::move(d));
    }
  }
}

}  // namespace

const char* action_name(Action action) noexcept {
  switch (action) {
    case Action::keep:
      return "float";
    case Action::integer:
      return "MatMulInteger";
    case Action::dynamic_lstm:
      return "DynamicQuantizeLSTM";
    case Action::gather:
      return "int8 table";
    case Action::storage:
      return "int8 storage";
    case Action::conv_integer:
      return "ConvInteger";
    case Action::attention:
      return "QAttention";
    case Action::embedding:
      return "QEmbedLayerNormalization";
    case Action::blocks4:
      return "int4 blocks";
    case Action::blocks8:
      return "int8 blocks";
  }
  return "?";
}

std::optional<Action> action_named(std::string_view name) noexcept {
  for (const Action action : kActions)
    if (name == action_name(action)) return action;
  return std::nullopt;
}

std::vector<std::string> action_names() {
  std::vector<std::string> names;
  for (const Action action : kActions) names.emplace_back(action_name(action));
  return names;
}

const char* weight_form_name(WeightForm form) noexcept {
  switch (form) {
    case WeightForm::dynamic:
      return "dynamic";
    case WeightForm::int8:
      return "int8";
    case WeightForm::int4:
      return "int4";
    case WeightForm::storage:
      return "storage";
  }
  return "?";
}

std::optional<WeightForm> weight_form_named(std::string_view name) noexcept {
  for (const WeightForm form : kForms)
    if (name == weight_form_name(form)) return form;
  return std::nullopt;
}

std::vector<std::string> weight_form_names() {
  std::vector<std::string> names;
  for (const WeightForm form : kForms)
    names.emplace_back(weight_form_name(form));
  return names;
}

const char* scaling_name(Scaling scaling) noexcept {
  return scaling == Scaling::mse ? "mse" : "range";
}

std::optional<Scaling> scaling_named(std::string_view name) noexcept {
  for (const Scaling scaling : {Scaling::range, Scaling::mse})
    if (name == scaling_name(scaling)) return scaling;
  return std::nullopt;
}

// As tried with releases 1.16.3 to 1.32.0.
RuntimeNeed needed_runtime(const Plan& plan) {
  RuntimeNeed need;
  for (const Decision& d : plan.decisions) {
    const bool blocks =
        d.action == Action::blocks4 || d.action == Action::blocks8;
    if (!blocks) continue;
    if (plan.recipe.standard_ops)
      return {"1.19", "DequantizeLinear with blocks"};
    if (d.action == Action::blocks8) return {"1.23", "MatMulNBits of 8 bits"};
  }
  return need;
}

double quantized_share(const Plan& plan) noexcept {
  int64_t all = 0, quantized = 0;
  for (const Decision& d : plan.decisions) {
    all += d.bytes_before;
    if (d.action != Action::keep) quantized += d.bytes_before;
  }
  return all == 0 ? 0
                  : static_cast<double>(quantized) / static_cast<double>(all);
}

const char* conv_mode_name(ConvMode mode) noexcept {
  switch (mode) {
    case ConvMode::storage:
      return "storage";
    case ConvMode::integer:
      return "integer";
    case ConvMode::keep:
      return "keep";
  }
  return "?";
}

namespace {

// The plan for the model with the operators that it has.
Plan plan_as_it_is(ModelData& data, const Recipe& recipe,
                   const Findings& findings) {
  const GraphIndex index(data);
  Plan plan;
  plan.recipe = recipe;
  plan.already = quantized_before(index);
  const std::string settled = reason_quantized_before(plan);
  const Functions functions(data.proto);
  Selection selection(recipe);
  Wishes wishes(recipe);
  for (size_t s = 0; s < index.scopes().size(); ++s) {
    const Scope& scope = *index.scopes()[s];
    for (int i = 0; i < scope.graph->node_size(); ++i) {
      const auto& node = scope.node(i);
      const OpRule* rule = find_rule(node);
      if (!rule && passes_on(node)) continue;
      Decision d = describe(scope, static_cast<int64_t>(s), i);
      if (rule) {
        const NodeContext context = {index,  scope,    node,
                                     recipe, findings, *rule};
        const Wish* wish = wishes.find(d);
        std::string unwanted = reason_if_incomplete(node, *rule);
        if (unwanted.empty() && !wish)
          unwanted = selection.reason_against(scope, node);
        if (!unwanted.empty()) {
          d.reason = std::move(unwanted);
        } else if (wish) {
          decide_as(*wish, context, d);
        } else {
          rule->decide(context, d);
          if (d.action != Action::keep && !settled.empty()) keep(d, settled);
        }
        // A Gather of computed values has nothing to do with weights.
        if (d.action == Action::keep && rule->op == "Gather" &&
            !resolve_constant(index, &scope, input_name(node, 0)))
          continue;
        ++plan.candidates;
        plan.quantized += d.action != Action::keep;
      }
      if (d.action == Action::keep) {
        d.bytes_before = constant_bytes(index, scope, node, d.weights);
        d.bytes_after = d.bytes_before;
        if (!rule) {
          if (d.bytes_before < recipe.min_bytes || d.bytes_before == 0)
            continue;
          d.reason = functions.called_by(node)
                         ? "it calls a function of the model that stays"
                     : quantized_form(index, scope, node).empty()
                         ? reason_without_rule(node)
                         : "it is quantized already";
        }
      }
      plan.decisions.push_back(std::move(d));
    }
  }
  wishes.require_all_found();
  if (recipe.wishes.empty()) selection.require_all_matched();
  judge_sharing(index, plan);
  report_functions(data, plan);
  return plan;
}

// True if a newer opset would allow what this one does not.
bool wants_opset11(const Plan& plan) {
  return std::any_of(plan.decisions.begin(), plan.decisions.end(),
                     [](const Decision& d) {
                       return d.reason.find(kTooOld) != std::string::npos;
                     });
}

}  // namespace

Plan make_plan(const Model& model, const Recipe& recipe,
               const Findings& findings) {
  if (ort::is_preset(recipe.name)) return ort::plan(model.data(), recipe);
  // The index gives out nodes that an editor may change; planning only reads.
  auto& data = const_cast<ModelData&>(model.data());
  const int64_t opset = opset_of(data.proto);
  if (recipe.keep_opset || opset < 7 || opset > 10)
    return plan_as_it_is(data, recipe, findings);
  // Wishes name nodes of the graph that they were made for: the converted one.
  const bool wished = !recipe.wishes.empty();
  Plan plan;
  if (!wished) {
    plan = plan_as_it_is(data, recipe, findings);
    if (!wants_opset11(plan)) return plan;
  }
  ModelData copy;
  copy.proto = data.proto;
  copy.blobs = data.blobs;
  Converted converted = convert_to_opset11(copy);
  if (converted.obstacle.empty()) {
    plan = plan_as_it_is(copy, recipe, findings);
    plan.converted_from = opset;
    plan.converted = std::move(converted.operators);
    return plan;
  }
  if (wished)
    throw Error(ErrorKind::usage,
                fmt::format("the plan was made for the model converted to "
                            "opset 11, and it cannot be, because {}.",
                            converted.obstacle));
  for (Decision& d : plan.decisions)
    if (d.reason.find(kTooOld) != std::string::npos)
      d.reason +=
          "; the model cannot be converted, because " + converted.obstacle;
  return plan;
}

}  // namespace octavo
