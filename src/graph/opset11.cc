#include "graph/opset11.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "graph/constant.h"

namespace octavo {
namespace {

// What ONNX's own change log (Changelog.md) says of the opsets 8 to 11: these
// only got more types, negative axes, new attributes whose defaults mean what
// was, or more ways of broadcasting.
const std::set<std::string_view> kUnchanged = {"Abs",
                                               "Acos",
                                               "Acosh",
                                               "Add",
                                               "And",
                                               "ArgMax",
                                               "ArgMin",
                                               "Asin",
                                               "Asinh",
                                               "Atan",
                                               "Atanh",
                                               "AveragePool",
                                               "BatchNormalization",
                                               "BitShift",
                                               "Cast",
                                               "Ceil",
                                               "Clip",
                                               "Compress",
                                               "Concat",
                                               "ConcatFromSequence",
                                               "Constant",
                                               "ConstantOfShape",
                                               "Conv",
                                               "ConvInteger",
                                               "ConvTranspose",
                                               "Cos",
                                               "Cosh",
                                               "DepthToSpace",
                                               "DequantizeLinear",
                                               "Div",
                                               "Dropout",
                                               "Elu",
                                               "Equal",
                                               "Erf",
                                               "Exp",
                                               "Expand",
                                               "EyeLike",
                                               "Flatten",
                                               "Floor",
                                               "GRU",
                                               "Gather",
                                               "Gemm",
                                               "GlobalAveragePool",
                                               "GlobalLpPool",
                                               "GlobalMaxPool",
                                               "Greater",
                                               "HardSigmoid",
                                               "Hardmax",
                                               "Identity",
                                               "If",
                                               "InstanceNormalization",
                                               "IsInf",
                                               "IsNaN",
                                               "LRN",
                                               "LSTM",
                                               "LeakyRelu",
                                               "Less",
                                               "Log",
                                               "LogSoftmax",
                                               "Loop",
                                               "LpNormalization",
                                               "LpPool",
                                               "MatMul",
                                               "MatMulInteger",
                                               "Max",
                                               "MaxPool",
                                               "MaxRoiPool",
                                               "Mean",
                                               "MeanVarianceNormalization",
                                               "Min",
                                               "Mod",
                                               "Mul",
                                               "Multinomial",
                                               "Neg",
                                               "NonMaxSuppression",
                                               "NonZero",
                                               "Not",
                                               "OneHot",
                                               "Or",
                                               "PRelu",
                                               "Pad",
                                               "Pow",
                                               "QLinearConv",
                                               "QLinearMatMul",
                                               "QuantizeLinear",
                                               "RNN",
                                               "RandomNormal",
                                               "RandomNormalLike",
                                               "RandomUniform",
                                               "RandomUniformLike",
                                               "Reciprocal",
                                               "ReduceL1",
                                               "ReduceL2",
                                               "ReduceLogSum",
                                               "ReduceLogSumExp",
                                               "ReduceMax",
                                               "ReduceMean",
                                               "ReduceMin",
                                               "ReduceProd",
                                               "ReduceSum",
                                               "ReduceSumSquare",
                                               "Relu",
                                               "Reshape",
                                               "Resize",
                                               "ReverseSequence",
                                               "RoiAlign",
                                               "Scan",
                                               "Scatter",
                                               "Selu",
                                               "Shape",
                                               "Shrink",
                                               "Sigmoid",
                                               "Sign",
                                               "Sin",
                                               "Sinh",
                                               "Size",
                                               "Slice",
                                               "Softmax",
                                               "Softplus",
                                               "Softsign",
                                               "SpaceToDepth",
                                               "Split",
                                               "Sqrt",
                                               "Squeeze",
                                               "StringNormalizer",
                                               "Sub",
                                               "Sum",
                                               "Tan",
                                               "Tanh",
                                               "TfIdfVectorizer",
                                               "ThresholdedRelu",
                                               "Tile",
                                               "TopK",
                                               "Transpose",
                                               "Unsqueeze",
                                               "Upsample",
                                               "Where",
                                               "Xor"};

class Converter {
 public:
  Converter(ModelData& model, int64_t opset)
      : model_(model), index_(model), opset_(opset) {
    for (const auto& scope : index_.scopes()) {
      for (const auto& [name, d] : scope->values)
        names_.insert(std::string(name));
      for (const auto& node : scope->graph->node())
        names_.insert(node.input().begin(), node.input().end());
    }
    only_float_ = is_only_float();
  }

  std::string obstacle() const {
    for (const auto& scope : index_.scopes())
      for (const auto& node : scope->graph->node())
        if (domain_of(node).empty())
          if (std::string why = against(*scope, node); !why.empty()) return why;
    return "";
  }

  std::map<std::string, int64_t> convert() {
    for (const auto& scope : index_.scopes()) {
      google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
      for (auto& node : *scope->graph->mutable_node()) {
        before_.clear();
        if (domain_of(node).empty()) convert_node(node);
        for (auto& n : before_) *nodes.Add() = std::move(n);
        nodes.Add()->Swap(&node);
      }
      scope->graph->mutable_node()->Swap(&nodes);
    }
    for (auto& o : *model_.proto.mutable_opset_import())
      if (o.domain().empty() || o.domain() == "ai.onnx") o.set_version(11);
    return std::move(converted_);
  }

 private:
  static std::string words(const onnx::NodeProto& node) {
    return node.name().empty()
               ? fmt::format("a {}", node.op_type())
               : fmt::format("its {} '{}'", node.op_type(), node.name());
  }

  // New constants of Clip and Pad must have their input's type, which is known
  // where the model has but one.
  bool is_only_float() const {
    bool others = false;
    const auto look = [&](int32_t type) {
      const auto t = static_cast<DType>(type);
      others |=
          t == DType::float16 || t == DType::float64 || t == DType::bfloat16;
    };
    for_each_tensor(const_cast<onnx::ModelProto&>(model_.proto),
                    [&](onnx::TensorProto& t) { look(t.data_type()); });
    for (const auto& scope : index_.scopes()) {
      for (const auto& v : scope->graph->input())
        look(v.type().tensor_type().elem_type());
      for (const auto& node : scope->graph->node())
        if (is_op(node, "Cast"))
          look(static_cast<int32_t>(int_attribute(node, "to", 0)));
    }
    return !others;
  }

  // Constant scales of 1 and more: what lies between was rounded up before.
  bool enlarges(const Scope& scope, const onnx::NodeProto& node) const {
    std::vector<float> scales;
    if (const auto* a = find_attribute(node, "scales")) {
      scales.assign(a->floats().begin(), a->floats().end());
    } else {
      const auto c = resolve_constant(index_, &scope, input_name(node, 1));
      if (!c || c->type != DType::float32) return false;
      std::vector<std::byte> storage;
      const Bytes bytes = constant_payload(model_, *c, storage);
      scales.resize(bytes.size() / sizeof(float));
      std::memcpy(scales.data(), bytes.data(), scales.size() * sizeof(float));
    }
    for (const float s : scales)
      if (!(s >= 1)) return false;
    return !scales.empty();
  }

  // Why a node cannot be converted; "" where it can.
  std::string against(const Scope& scope, const onnx::NodeProto& node) const {
    const std::string& op = node.op_type();
    if (!kUnchanged.contains(op))
      return fmt::format("{} is no operator whose change is known",
                         words(node));
    if (op == "Scan" && opset_ < 9)
      return fmt::format("{} takes batches, which later ones do not",
                         words(node));
    if (op == "BatchNormalization") {
      if (int_attribute(node, "spatial", 1) == 0)
        return fmt::format("{} is not spatial, which later ones must be",
                           words(node));
      for (int i = 1; i < node.output_size(); ++i)
        if (!node.output(i).empty())
          return fmt::format("{} is for training", words(node));
    }
    if (op == "Dropout" && opset_ < 10 && node.output_size() > 1 &&
        !node.output(1).empty())
      return fmt::format("{} gives its mask, whose type changed", words(node));
    if ((op == "Clip" || op == "Pad") && !only_float_)
      return fmt::format(
          "{} would need constants of a type that is not "
          "declared",
          words(node));
    if (op == "Pad" && !find_attribute(node, "pads"))
      return fmt::format("{} lacks its pads", words(node));
    if (op == "TopK" && opset_ < 10 && !find_attribute(node, "k"))
      return fmt::format("{} lacks its k", words(node));
    if (op == "Slice" && opset_ < 10 &&
        (!find_attribute(node, "starts") || !find_attribute(node, "ends")))
      return fmt::format("{} lacks its starts or ends", words(node));
    if (op == "Upsample" || op == "Resize") {
      if (!enlarges(scope, node))
        return fmt::format("{} does not only enlarge, by constant factors",
                           words(node));
      const auto* mode = find_attribute(node, "mode");
      if (mode && mode->s() != "nearest" && mode->s() != "linear")
        return fmt::format("{} has the mode '{}'", words(node), mode->s());
    }
    return "";
  }

  std::string fresh(const std::string& wish) {
    std::string name = wish;
    for (int i = 1; !names_.insert(name).second; ++i)
      name = fmt::format("{}_{}", wish, i);
    return name;
  }

  // A Constant node before the one at hand; gives its output's name.
  template <typename T>
  std::string constant(const std::string& wish, DType type, const Shape& shape,
                       const std::vector<T>& values) {
    onnx::NodeProto n;
    n.set_op_type("Constant");
    const std::string name = fresh(wish);
    n.add_output(name);
    auto* a = n.add_attribute();
    a->set_name("value");
    a->set_type(onnx::AttributeProto::TENSOR);
    auto* t = a->mutable_t();
    t->set_data_type(static_cast<int>(type));
    for (const int64_t d : shape) t->add_dims(d);
    t->set_raw_data(values.data(), values.size() * sizeof(T));
    before_.push_back(std::move(n));
    return name;
  }
  std::string ints(const std::string& wish, const std::vector<int64_t>& v) {
    return constant(wish, DType::int64, {static_cast<int64_t>(v.size())}, v);
  }

  // Takes an attribute away and gives what it held.
  static std::optional<onnx::AttributeProto> take(onnx::NodeProto& node,
                                                  std::string_view name) {
    auto& all = *node.mutable_attribute();
    for (int i = 0; i < all.size(); ++i)
      if (all.Get(i).name() == name) {
        onnx::AttributeProto a = all.Get(i);
        all.DeleteSubrange(i, 1);
        return a;
      }
    return std::nullopt;
  }

  static void set_string(onnx::NodeProto& node, const char* name,
                         const char* value) {
    take(node, name);
    auto* a = node.add_attribute();
    a->set_name(name);
    a->set_type(onnx::AttributeProto::STRING);
    a->set_s(value);
  }

  static void set_inputs(onnx::NodeProto& node,
                         const std::vector<std::string>& inputs) {
    node.clear_input();
    for (const auto& i : inputs) node.add_input(i);
  }

  void convert_node(onnx::NodeProto& node) {
    const std::string op = node.op_type();
    const std::string x = input_name(node, 0);
    const std::string y = node.output_size() > 0 ? node.output(0) : x;
    const auto list = [](const onnx::AttributeProto& a) {
      return std::vector<int64_t>(a.ints().begin(), a.ints().end());
    };
    bool changed = true;
    if (op == "BatchNormalization") {
      changed = take(node, "spatial").has_value();
    } else if (op == "Clip") {
      const auto low = take(node, "min"), high = take(node, "max");
      const auto bound = [&](const auto& a, const char* end) {
        return a ? constant<float>(y + end, DType::float32, {}, {a->f()})
                 : std::string();
      };
      set_inputs(node, {x, bound(low, "_min"), bound(high, "_max")});
    } else if (op == "Pad") {
      const auto pads = take(node, "pads"), value = take(node, "value");
      set_inputs(node, {x, ints(y + "_pads", list(*pads)),
                        constant<float>(y + "_value", DType::float32, {},
                                        {value ? value->f() : 0.0f})});
    } else if (op == "Slice" && opset_ < 10) {
      const auto starts = take(node, "starts"), ends = take(node, "ends"),
                 axes = take(node, "axes");
      std::vector<std::string> inputs = {x, ints(y + "_starts", list(*starts)),
                                         ints(y + "_ends", list(*ends))};
      if (axes) inputs.push_back(ints(y + "_axes", list(*axes)));
      set_inputs(node, inputs);
    } else if (op == "TopK" && opset_ < 10) {
      const auto k = take(node, "k");
      set_inputs(node, {x, ints(y + "_k", {k->i()})});
    } else if (op == "Upsample" || op == "Resize") {
      std::string scales = input_name(node, 1);
      if (const auto a = take(node, "scales"))
        scales = constant<float>(
            y + "_scales", DType::float32, {a->floats_size()},
            std::vector<float>(a->floats().begin(), a->floats().end()));
      node.set_op_type("Resize");
      set_inputs(node, {x, constant<float>(y + "_roi", DType::float32, {0}, {}),
                        scales});
      set_string(node, "coordinate_transformation_mode", "asymmetric");
      const auto* mode = find_attribute(node, "mode");
      if (!mode || mode->s() == "nearest")
        set_string(node, "nearest_mode", "floor");
    } else if (op == "Scatter") {
      node.set_op_type("ScatterElements");
    } else {
      changed = false;
    }
    if (changed) ++converted_[op];
  }

  ModelData& model_;
  GraphIndex index_;
  int64_t opset_;
  bool only_float_ = false;
  std::set<std::string> names_;
  std::vector<onnx::NodeProto> before_;
  std::map<std::string, int64_t> converted_;
};

}  // namespace

Converted convert_to_opset11(ModelData& model) {
  int64_t opset = 0;
  for (const auto& o : model.proto.opset_import())
    if (o.domain().empty() || o.domain() == "ai.onnx") opset = o.version();
  if (opset < 7 || opset > 10)
    return {fmt::format("opset {} is not converted", opset), {}};
  if (model.proto.functions_size() > 0)
    return {"it has functions, which import operators of their own", {}};
  Converter converter(model, opset);
  Converted result;
  result.obstacle = converter.obstacle();
  if (result.obstacle.empty()) result.operators = converter.convert();
  return result;
}

}  // namespace octavo
