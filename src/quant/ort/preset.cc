// The walk: Gemms are split, nodes are visited in their order, and what an
// operator reads as float while it exists quantized only gets a
// DequantizeLinear in front. Names and shapes of the parts are the peer's.
#include "quant/ort/preset.h"

#include <fmt/format.h>

#include <algorithm>

#include "octavo/error.h"
#include "quant/ort/affine_weight.h"
#include "quant/ort/graph.h"
#include "quant/rewrite.h"
#include "quant/selection.h"

namespace octavo::ort {
namespace {

// A value that exists in a quantized form.
struct Quantized {
  std::string values, scale, zero_point;
  bool per_channel = false;
};

class Walk {
 public:
  Walk(ModelData& model, const Recipe& recipe)
      : graph_(model), recipe_(recipe), selection_(recipe) {
    for (const Wish& w : recipe.wishes) wishes_[w.index] = &w;
  }

  Result run();

 private:
  using Nodes = std::vector<Node>;

  bool newer() const { return recipe_.name != "ort"; }

  void check_model();
  void split_gemms(onnx::GraphProto& graph, bool root);
  void split_gemm(Node node, bool root, Nodes& out);

  void visit(Node& node);
  void visit_matmul(Node& node);
  void visit_conv(Node& node);
  void visit_gather(Node& node);
  void visit_transpose(Node& node);
  void visit_lstm(Node& node);
  void visit_attention(Node& node);
  void visit_embedding(Node& node);
  void keep(Node& node);

  bool wanted(const Node& node);
  // Input `i` quantized: as an activation, or as a weight of the recipe's type.
  Quantized activation(const Node& node, int i);
  Quantized weight(const Node& node, int i, bool per_channel, bool reduce);
  Quantized quantize_initializer(const Node& node, const std::string& name,
                                 DType type, bool columns, bool reduce);
  Quantized quantize_value(const Node& node, const std::string& name);
  std::string explicit_range(const Node& node, const std::string& name);
  void append_rescale(const Node& node, const std::string& product,
                      const Quantized& x, const Quantized& w,
                      const std::string& output);
  void dequantize(const std::string& name, int origin);

  void emit(onnx::NodeProto node, int origin);
  std::string fresh(const Node& node, const std::string& name) {
    graph_.take_name(node_words(node.proto), name);
    return name;
  }
  Decision& decision(const Node& node) { return decisions_[node.origin]; }
  void done(const Node& node, Action action) {
    decision(node).action = action;
    decision(node).reason.clear();
  }

  Graph graph_;
  const Recipe& recipe_;
  int64_t opset_ = 0;
  Selection selection_;
  Nodes nodes_, written_;
  std::map<int, Decision> decisions_;  // by original node
  std::map<int64_t, const Wish*> wishes_;
  std::map<std::string, Quantized> quantized_;
  std::set<std::string> exists_;  // values that are there as float
  std::set<std::string> written_names_;
  std::map<std::string, std::string> scale_products_;
  std::vector<std::shared_ptr<const Applied::Watch>> watches_;
};

struct Handled {
  std::string_view op, domain;
};
constexpr Handled kHandled[] = {
    {"MatMul", ""},
    {"Conv", ""},
    {"Gather", ""},
    {"Transpose", ""},
    {"LSTM", ""},
    {"Attention", "com.microsoft"},
    {"EmbedLayerNormalization", "com.microsoft"},
};

const Handled* handled(const std::string& op) {
  for (const Handled& h : kHandled)
    if (h.op == op) return &h;
  return nullptr;
}

bool has_graph(const onnx::NodeProto& node) {
  return std::any_of(
      node.attribute().begin(), node.attribute().end(),
      [](const auto& a) { return a.has_g() || a.graphs_size() > 0; });
}

void Walk::check_model() {
  const auto& model = graph_.model().proto;
  int own = 0;
  for (const auto& o : model.opset_import())
    if (o.domain().empty() || o.domain() == "ai.onnx") {
      ++own;
      opset_ = o.version();
    }
  if (own != 1)
    refuse("this model", fmt::format("needs exactly one version of ONNX's own "
                                     "operators, and this imports {}",
                                     own));
  if (opset_ < 10)
    refuse("this model",
           fmt::format("does not keep opset {}: some of its versions only "
                       "write another number",
                       opset_));
  for_each_graph(model.graph(), [](const onnx::GraphProto& g) {
    for (const auto& node : g.node()) {
      if (!has_graph(node)) continue;
      if (!domain_of(node).empty())
        refuse(node_words(node), "loses the domain of nodes with bodies");
      for (const auto& a : node.attribute())
        if (a.type() == onnx::AttributeProto::INTS && a.ints_size() == 0)
          refuse(node_words(node),
                 "fails at empty attributes of nodes with bodies");
    }
  });
}

// Before   Y = Gemm(A, B, C)     alpha and beta 1, A as it is
// After    Y = Add(MatMul(A, B'), C)
void Walk::split_gemm(Node node, bool root, Nodes& out) {
  const onnx::NodeProto& g = node.proto;
  const bool plain = is_op(g, "Gemm") && float_attribute(g, "alpha", 1) == 1 &&
                     float_attribute(g, "beta", 1) == 1 &&
                     int_attribute(g, "transA", 0) == 0;
  if (!plain) {
    if (g.op_type() == "Gemm" && !domain_of(g).empty())
      refuse(node_words(g), "takes a Gemm of any domain for ONNX's own");
    out.push_back(std::move(node));
    return;
  }
  if (g.input_size() < 2 || g.output_size() != 1)
    refuse(node_words(g), "fails at its number of inputs and outputs");
  std::string b = g.input(1);
  const bool bias = g.input_size() > 2;
  if (bias && g.input(2).empty())
    refuse(node_words(g), "adds its empty third input, which does not load");
  if (int_attribute(g, "transB", 0) == 1) {
    if (!root) refuse(node_words(g), "turns over weights from within bodies");
    if (newer() && graph_.initializer(b)) {
      if (graph_.initializer(b)->dims_size() != 2)
        refuse(node_words(g), "fails at a weight that is no matrix");
      b = graph_.add_turned(b);
    } else if (graph_.initializer(b)) {
      if (graph_.uses(b) > 1)
        refuse(node_words(g),
               fmt::format("turns its weight '{}' over in place, for all {} "
                           "that read it",
                           b, graph_.uses(b)));
      if (graph_.initializer(b)->dims_size() != 2)
        refuse(node_words(g), "fails at a weight that is no matrix");
      graph_.turn_over(b);
    } else {
      const std::string turned = b + "_Transposed";
      graph_.take_name(node_words(g), turned);
      onnx::NodeProto t;
      t.set_op_type("Transpose");
      if (!g.name().empty()) t.set_name(g.name() + "_Transpose");
      t.add_input(b);
      t.add_output(turned);
      out.push_back({std::move(t), node.origin});
      b = turned;
    }
  }
  const std::string& y = g.output(0);
  const std::string product = bias ? y + "_MatMul" : y;
  if (bias) graph_.take_name(node_words(g), product);
  out.push_back({make_node("MatMul", {g.input(0), b}, {product},
                           g.name().empty() ? "" : g.name() + "_MatMul"),
                 node.origin});
  if (bias)
    out.push_back({make_node("Add", {product, g.input(2)}, {y},
                             g.name().empty() ? "" : g.name() + "_Add"),
                   -1});
}

void Walk::split_gemms(onnx::GraphProto& graph, bool root) {
  Nodes out;
  for (int i = 0; i < graph.node_size(); ++i) {
    Node node = {graph.node(i), root ? i : -1};
    for (auto& a : *node.proto.mutable_attribute()) {
      if (a.has_g()) split_gemms(*a.mutable_g(), false);
      for (auto& g : *a.mutable_graphs()) split_gemms(g, false);
    }
    split_gemm(std::move(node), root, out);
  }
  if (root) {
    nodes_ = std::move(out);
    return;
  }
  graph.clear_node();
  for (Node& n : out) *graph.add_node() = std::move(n.proto);
}

void Walk::emit(onnx::NodeProto node, int origin) {
  for (const auto& o : node.output()) exists_.insert(o);
  if (!node.name().empty()) written_names_.insert(node.name());
  written_.push_back({std::move(node), origin});
}

// The peer selects by operator and by exact name; so do the patterns here, by
// the original's names.
bool Walk::wanted(const Node& node) {
  const onnx::NodeProto& n = node.proto;
  if (node.origin < 0) return false;
  const auto wish = wishes_.find(node.origin);
  std::string reason;
  const auto d = decisions_.find(node.origin);  // none for Transpose
  if (wish != wishes_.end()) {
    if (wish->second->action == Action::keep)
      reason = "the plan leaves it float";
  } else if (d == decisions_.end()) {
    reason = selection_.reason_against({"Transpose"}, n.name());
  } else {
    // The peer knows a Gemm as the MatMul that it makes of it.
    reason =
        selection_.reason_against({d->second.op, n.op_type()}, d->second.node);
  }
  if (!reason.empty()) {
    if (d != decisions_.end()) d->second.reason = reason;
    return false;
  }
  const Handled& h = *handled(n.op_type());
  if (domain_of(n) != h.domain)
    refuse(node_words(n),
           fmt::format("takes {} of any domain for its own", h.op));
  return true;
}

Quantized Walk::quantize_initializer(const Node& node, const std::string& name,
                                     DType type, bool columns, bool reduce) {
  const std::string owner = node_words(node.proto);
  const Constant c = graph_.constant(name);
  if (c.type != DType::float32)
    refuse(owner, fmt::format("writes what does not load for '{}', which is "
                              "{}: only float32 is reproduced",
                              name, dtype_name(c.type)));
  if (columns && c.shape.size() != 2)
    refuse(owner, fmt::format("cannot give '{}' of rank {} one scale a column",
                              name, c.shape.size()));
  const Quantized q = {name + "_quantized", name + "_scale",
                       name + "_zero_point", columns};
  const Shape scales = columns ? Shape{c.shape.back()} : Shape{};
  if (type == DType::int8) {
    WeightLayout layout;
    layout.channel_axis = columns ? 1 : -1;
    layout.limit = reduce ? 64 : 127;
    const auto w = std::make_shared<QuantizedWeight>(graph_.model(), c,
                                                     weight_groups(c, layout));
    if (c.shape.size() >= 2) w->count_pairs(is_swapped(c, layout));
    watches_.push_back(w);
    graph_.add(owner, q.values, type, c.shape,
               w->values(is_swapped(c, layout)));
    graph_.add(owner, q.scale, DType::float32, scales, w->scales(1));
    graph_.add_small<int8_t>(
        owner, q.zero_point, type, scales,
        std::vector<int8_t>(static_cast<size_t>(element_count(scales))));
  } else {
    const auto w = std::make_shared<AffineWeight>(graph_.model(), c, columns,
                                                  reduce ? 127 : 255, newer());
    watches_.push_back(w);
    graph_.add(owner, q.values, type, c.shape, w->values());
    graph_.add(owner, q.scale, DType::float32, scales, w->scales());
    graph_.add(owner, q.zero_point, type, scales, w->zero_points());
  }
  Decision& d = decision(node);
  d.weights.push_back(name);
  d.bytes_before += static_cast<int64_t>(payload_size(*c.tensor));
  d.bytes_after += element_count(c.shape) + 5 * element_count(scales);
  return quantized_[name] = q;
}

// The chain that opset 10 needs; gives the name of the scale.
std::string Walk::explicit_range(const Node& node, const std::string& x) {
  const std::string owner = node_words(node.proto);
  for (const auto& [name, value] :
       {std::pair("fixed_quantization_range_uint8", 255.0f),
        std::pair("fixed_zero", 0.0f)})
    if (!graph_.initializer(name))
      graph_.add_small<float>(owner, name, DType::float32, {}, {value});
  const auto step = [&](const char* op,
                        std::initializer_list<std::string_view> inputs,
                        const std::string& name, const std::string& output) {
    graph_.take_name(owner, output);
    return make_node(op, inputs, {output}, name);
  };
  for (const char* op : {"ReduceMin", "ReduceMax"}) {
    const std::string name = x + "_" + op;
    onnx::NodeProto n = step(op, {x}, name, name + ":0");
    auto* a = n.add_attribute();
    a->set_name("keepdims");
    a->set_type(onnx::AttributeProto::INT);
    a->set_i(0);
    emit(std::move(n), node.origin);
  }
  const std::string low = x + "_ReduceMin:0", high = x + "_ReduceMax:0";
  const std::string scale = x + "_scale", zero = x + "_zero_point";
  emit(step("Sub", {high, low}, scale + "_Sub", scale + "_Sub:0"), node.origin);
  emit(step("Div", {scale + "_Sub:0", "fixed_quantization_range_uint8"},
            scale + "_Div", scale),
       node.origin);
  emit(step("Sub", {"fixed_zero", low}, zero + "_Sub", zero + "_Sub:0"),
       node.origin);
  emit(step("Div", {zero + "_Sub:0", scale}, zero + "_Div", zero + "_Div:0"),
       node.origin);
  emit(step("Floor", {zero + "_Div:0"}, zero + "_Floor", zero + "_Floor:0"),
       node.origin);
  graph_.take_name(owner, zero);
  emit(make_cast(zero + "_Floor:0", zero, DType::uint8, zero + "_Cast"),
       node.origin);
  return scale;
}

Quantized Walk::quantize_value(const Node& node, const std::string& x) {
  const std::string owner = node_words(node.proto);
  const std::string name = x + "_QuantizeLinear";
  if (graph_.node_name_exists(name))
    refuse(owner, fmt::format("takes the model's own node '{}' for its", name));
  if (graph_.type_of(x) == DType::float16)
    refuse(owner, "gives DynamicQuantizeLinear float16, which does not load");
  const Quantized q = {x + "_quantized", x + "_scale", x + "_zero_point",
                       false};
  if (opset_ > 10) {
    for (const auto& n : {q.values, q.scale, q.zero_point})
      graph_.take_name(owner, n);
    emit(make_node("DynamicQuantizeLinear", {x},
                   {q.values, q.scale, q.zero_point}, name),
         node.origin);
  } else {
    explicit_range(node, x);
    graph_.take_name(owner, q.values);
    emit(make_node("QuantizeLinear", {x, q.scale, q.zero_point}, {q.values},
                   name),
         node.origin);
  }
  return quantized_[x] = q;
}

Quantized Walk::activation(const Node& node, int i) {
  const std::string& name = node.proto.input(i);
  if (const auto it = quantized_.find(name); it != quantized_.end())
    return it->second;
  if (name.empty()) return {};
  if (graph_.initializer(name))
    return quantize_initializer(node, name, DType::uint8, false, false);
  return quantize_value(node, name);
}

Quantized Walk::weight(const Node& node, int i, bool per_channel, bool reduce) {
  const std::string& name = node.proto.input(i);
  if (const auto it = quantized_.find(name); it != quantized_.end())
    return it->second;
  if (graph_.initializer(name))
    return quantize_initializer(node, name, recipe_.weight_type,
                                per_channel && recipe_.per_channel,
                                reduce && recipe_.reduce_range);
  return quantize_value(node, name);
}

// Cast(product) * (xs * ws), as every integer product of the peer ends.
void Walk::append_rescale(const Node& node, const std::string& product,
                          const Quantized& x, const Quantized& w,
                          const std::string& output) {
  const std::string& name = node.proto.name();
  const std::string cast = fresh(node, product + "_cast_output");
  emit(make_cast(product, cast, DType::float32, product + "_cast"),
       node.origin);
  const std::string scales = name.empty() ? x.scale + "_" + w.scale + "_mul"
                                          : name + "_quant_scales_mul";
  if (written_names_.contains(scales)) {
    // Unnamed nodes share the product of the same two scales.
    if (!name.empty())
      refuse(node_words(node.proto),
             "gives two nodes of one name the same scales");
  } else {
    emit(make_node("Mul", {x.scale, w.scale}, {fresh(node, scales + ":0")},
                   scales),
         node.origin);
  }
  emit(make_node("Mul", {cast, scales + ":0"}, {output},
                 name.empty() ? "" : name + "_quant_output_scale_mul"),
       node.origin);
}

void Walk::visit_matmul(Node& node) {
  const onnx::NodeProto& n = node.proto;
  if (n.input_size() != 2 || n.output_size() != 1) return keep(node);
  Decision& d = decision(node);
  if (!graph_.is_float(n.input(1)) && !graph_.is_float(n.input(0))) {
    d.reason = "its inputs are not float";
    return keep(node);
  }
  if (!graph_.initializer(n.input(1))) {
    d.reason = "its right side is no initializer";
    return keep(node);
  }
  const auto& b = *graph_.initializer(n.input(1));
  if (recipe_.per_channel && b.dims_size() != 2 &&
      !quantized_.contains(n.input(1)))
    refuse(node_words(n), fmt::format("gives a weight of rank {} one scale a "
                                      "column, which does not run",
                                      b.dims_size()));
  const Quantized x = activation(node, 0);
  const Quantized w = weight(node, 1, true, true);
  const std::string product = fresh(node, n.output(0) + "_output_quantized");
  emit(make_node("MatMulInteger",
                 {x.values, w.values, x.zero_point, w.zero_point}, {product},
                 n.name().empty() ? "" : n.name() + "_quant"),
       node.origin);
  append_rescale(node, product, x, w, n.output(0));
  done(node, Action::integer);
}

void Walk::visit_conv(Node& node) {
  const onnx::NodeProto& n = node.proto;
  if (n.input_size() < 2 || !graph_.is_float(n.input(0))) {
    decision(node).reason = "its input is not known to be float";
    return keep(node);
  }
  const bool bias = n.input_size() == 3;
  const auto* w_tensor = graph_.initializer(n.input(1));
  if (bias && n.input(2).empty())
    refuse(node_words(n), "adds its empty third input, which does not load");
  if (bias && !w_tensor)
    refuse(node_words(n), "fails at a bias without a constant weight");
  const int rank = w_tensor ? w_tensor->dims_size() : 0;
  if (bias && rank < 3)
    refuse(node_words(n), fmt::format("fails at a weight of rank {}", rank));
  const Quantized x = activation(node, 0);
  const Quantized w = weight(node, 1, false, true);
  const std::string& y = n.output(0);
  onnx::NodeProto product = n;
  product.set_op_type("ConvInteger");
  product.set_name(n.name().empty() ? "" : n.name() + "_quant");
  product.clear_input();
  for (const auto& name : {x.values, w.values, x.zero_point, w.zero_point})
    product.add_input(name);
  const std::string integers = fresh(node, y + "_output_quantized");
  product.set_output(0, integers);
  emit(std::move(product), node.origin);
  if (!bias) {
    append_rescale(node, integers, x, w, y);
    return done(node, Action::conv_integer);
  }
  const std::string scaled = fresh(node, y + "quant_scaled_output");
  append_rescale(node, integers, x, w, scaled);
  std::vector<int64_t> shape(static_cast<size_t>(rank), 1);
  shape[1] = -1;
  graph_.add_small<int64_t>(node_words(n), y + "_bias_reshape_shape",
                            DType::int64, {rank}, shape);
  const std::string reshaped = fresh(node, y + "_bias_reshape_output");
  emit(make_node("Reshape", {n.input(2), y + "_bias_reshape_shape"}, {reshaped},
                 ""),
       node.origin);
  emit(make_node("Add", {scaled, reshaped}, {y}, y + "_bias_add"), node.origin);
  done(node, Action::conv_integer);
}

void Walk::visit_gather(Node& node) {
  onnx::NodeProto n = node.proto;
  if (n.input_size() < 1 || !graph_.is_float_initializer(n.input(0))) {
    decisions_.erase(node.origin);
    return keep(node);
  }
  const Quantized table = activation(node, 0);
  if (table.per_channel)
    refuse(node_words(n), "reads a table that has one scale a column");
  const std::string y = n.output(0);
  quantized_[y] = {fresh(node, y + "_quantized"), table.scale, table.zero_point,
                   false};
  n.set_input(0, table.values);
  n.set_output(0, y + "_quantized");
  emit(std::move(n), node.origin);
  done(node, Action::gather);
}

void Walk::visit_transpose(Node& node) {
  onnx::NodeProto n = node.proto;
  const auto it = quantized_.find(n.input(0));
  if (it == quantized_.end()) return keep(node);
  const Quantized q = it->second;
  if (q.per_channel)
    refuse(node_words(n), "turns over a weight that has one scale a column");
  const std::string y = n.output(0);
  quantized_[y] = {fresh(node, y + "_quantized"), q.scale, q.zero_point, false};
  n.set_input(0, q.values);
  n.set_output(0, y + "_quantized");
  emit(std::move(n), node.origin);
}

void Walk::visit_lstm(Node& node) {
  const onnx::NodeProto& n = node.proto;
  const auto* w = n.input_size() > 2 ? graph_.initializer(n.input(1)) : nullptr;
  const auto* r = n.input_size() > 2 ? graph_.initializer(n.input(2)) : nullptr;
  if (!w || !r || !graph_.is_float_initializer(n.input(1)) ||
      !graph_.is_float_initializer(n.input(2)) || w->dims_size() != 3 ||
      r->dims_size() != 3 || !graph_.is_float(n.input(0))) {
    decision(node).reason = "its weights are no float initializers of rank 3";
    return keep(node);
  }
  const std::string owner = node_words(n);
  if (int_attribute(n, "layout", 0) != 0)
    refuse(owner, "drops its layout, which changes what it computes");
  if (graph_.uses(n.input(1)) > 1 || graph_.uses(n.input(2)) > 1)
    refuse(owner, "turns weights that others read, too, over in place");
  std::vector<std::string> tail;
  onnx::NodeProto lstm = n;
  lstm.set_op_type("DynamicQuantizeLSTM");
  lstm.set_domain("com.microsoft");
  lstm.set_name(n.name().empty() ? "" : n.name() + "_quant");
  for (int i = lstm.attribute_size() - 1; i >= 0; --i)
    if (lstm.attribute(i).name() == "layout")
      lstm.mutable_attribute()->DeleteSubrange(i, 1);
  while (lstm.input_size() < 8) lstm.add_input("");
  Decision& d = decision(node);
  for (const int i : {1, 2}) {
    const std::string& name = n.input(i);
    const Constant c = graph_.constant(name);
    if (c.type != DType::float32)
      refuse(owner, "gives DynamicQuantizeLSTM float16, which does not load");
    WeightLayout layout;
    layout.swap = true;
    layout.channel_axis = recipe_.per_channel ? 1 : 0;
    layout.batch_axes = recipe_.per_channel ? 1 : 0;
    layout.limit = recipe_.reduce_range ? 64 : 127;
    Shape scales = {c.shape[0]};
    if (recipe_.per_channel) scales.push_back(c.shape[1]);
    const auto q = std::make_shared<QuantizedWeight>(graph_.model(), c,
                                                     weight_groups(c, layout));
    q->count_pairs(is_swapped(c, layout));
    watches_.push_back(q);
    graph_.add(owner, name + "_quantized", DType::int8,
               quantized_shape(c, layout), q->values(is_swapped(c, layout)));
    graph_.add(owner, name + "_scale", DType::float32, scales, q->scales(1));
    graph_.add_small<int8_t>(
        owner, name + "_zero_point", DType::int8, scales,
        std::vector<int8_t>(static_cast<size_t>(element_count(scales))));
    lstm.set_input(i, name + "_quantized");
    tail.push_back(name + "_scale");
    tail.push_back(name + "_zero_point");
    d.weights.push_back(name);
    d.bytes_before += static_cast<int64_t>(payload_size(*c.tensor));
    d.bytes_after += element_count(c.shape) + 5 * element_count(scales);
  }
  for (const auto& name : tail) lstm.add_input(name);
  dequantize(n.input(0), node.origin);
  emit(std::move(lstm), node.origin);
  done(node, Action::dynamic_lstm);
}

void Walk::visit_attention(Node& node) {
  const onnx::NodeProto& n = node.proto;
  if (find_attribute(n, "qkv_hidden_sizes")) {
    decision(node).reason = "QAttention has no qkv_hidden_sizes";
    return keep(node);
  }
  if (n.input_size() < 3) refuse(node_words(n), "fails without a third input");
  for (const int i : {5, 6})
    if (!input_name(n, i).empty())
      refuse(node_words(n), fmt::format("drops its input '{}'", n.input(i)));
  const Quantized x = activation(node, 0);
  const Quantized w = weight(node, 1, true, true);
  onnx::NodeProto q = n;
  q.set_op_type("QAttention");
  q.set_name(n.name().empty() ? "" : n.name() + "_quant");
  q.clear_input();
  for (const auto& name :
       {x.values, w.values, n.input(2), x.scale, w.scale, input_name(n, 3),
        x.zero_point, w.zero_point, input_name(n, 4)})
    q.add_input(name);
  emit(std::move(q), node.origin);
  done(node, Action::attention);
}

void Walk::visit_embedding(Node& node) {
  const onnx::NodeProto& n = node.proto;
  if (n.output_size() > 2) {
    decision(node).reason = "QEmbedLayerNormalization has no third output";
    return keep(node);
  }
  if (n.input_size() < 7) refuse(node_words(n), "fails without seven inputs");
  if (n.input(4).empty())
    refuse(node_words(n), "writes empty names for its missing segment table");
  std::vector<Quantized> parts;
  for (int i = 2; i <= 6; ++i) parts.push_back(activation(node, i));
  onnx::NodeProto q = n;
  q.set_op_type("QEmbedLayerNormalization");
  q.set_name(n.name().empty() ? "" : n.name() + "_quant");
  q.clear_input();
  q.add_input(n.input(0));
  q.add_input(n.input(1));
  for (const auto& p : parts) q.add_input(p.values);
  q.add_input(input_name(n, 7));
  for (const auto& p : parts) q.add_input(p.scale);
  for (const auto& p : parts) q.add_input(p.zero_point);
  emit(std::move(q), node.origin);
  done(node, Action::embedding);
}

// A value that exists quantized only becomes float again, once.
void Walk::dequantize(const std::string& name, int origin) {
  const auto it = quantized_.find(name);
  if (it == quantized_.end() || exists_.contains(name)) return;
  const Quantized& q = it->second;
  if (q.per_channel && opset_ < 13)
    refuse("this model", fmt::format("fails at '{}', which has one scale a "
                                     "column and is read as float, too",
                                     name));
  const std::string node = name + "_DequantizeLinear";
  if (graph_.node_name_exists(node))
    refuse("this model",
           fmt::format("takes the model's own node '{}' for its", node));
  onnx::NodeProto n = make_node(
      "DequantizeLinear", {q.values, q.scale, q.zero_point}, {name}, node);
  if (q.per_channel) {
    auto* a = n.add_attribute();
    a->set_name("axis");
    a->set_type(onnx::AttributeProto::INT);
    a->set_i(-1);
  }
  emit(std::move(n), origin);
}

void Walk::keep(Node& node) {
  const std::vector<std::string> inputs(node.proto.input().begin(),
                                        node.proto.input().end());
  for (const auto& name : inputs) dequantize(name, node.origin);
  emit(std::move(node.proto), node.origin);
}

void Walk::visit(Node& node) {
  const std::string op = node.proto.op_type();
  const onnx::NodeProto& n = node.proto;
  const bool complete = n.input_size() > 0 && n.output_size() > 0 &&
                        (op == "LSTM" || !n.output(0).empty());
  if (!handled(op) || !complete || !wanted(node)) return keep(node);
  if (op == "MatMul") return visit_matmul(node);
  if (op == "Conv") return visit_conv(node);
  if (op == "Gather") return visit_gather(node);
  if (op == "LSTM") return visit_lstm(node);
  if (op == "Attention") return visit_attention(node);
  if (op == "EmbedLayerNormalization") return visit_embedding(node);
  if (!graph_.is_float(node.proto.input(0))) return keep(node);
  return visit_transpose(node);
}

Result Walk::run() {
  check_model();
  auto& graph = graph_.proto();
  for (const auto& i : graph.input())
    if (!graph_.initializer(i.name())) exists_.insert(i.name());
  for (int i = 0; i < graph.node_size(); ++i) {
    const auto& n = graph.node(i);
    const bool gemm = is_op(n, "Gemm");
    if ((!handled(n.op_type()) && !gemm) || n.op_type() == "Transpose")
      continue;
    Decision& d = decisions_[i];
    d.node = n.name();
    d.op = n.op_type();
    d.domain = std::string(domain_of(n));
    d.index = i;
    d.reason = gemm ? "its alpha, beta or transA are not plain" : "";
  }
  split_gemms(graph, true);
  for (Node& node : nodes_) visit(node);
  for (const auto& o : graph.output()) dequantize(o.name(), -1);
  selection_.require_all_matched();

  graph.clear_node();
  bool microsoft = false;
  for (Node& n : written_) {
    microsoft |= n.proto.domain() == "com.microsoft";
    *graph.add_node() = std::move(n.proto);
  }
  graph_.clean();
  graph_.write_turned();
  if (microsoft) {
    auto& model = graph_.model().proto;
    const bool there = std::any_of(
        model.opset_import().begin(), model.opset_import().end(),
        [](const auto& o) { return o.domain() == "com.microsoft"; });
    if (!there) {
      auto* o = model.add_opset_import();
      o->set_domain("com.microsoft");
      o->set_version(1);
    }
  }
  for (const auto& [index, wish] : wishes_) {
    const auto d = decisions_.find(static_cast<int>(index));
    const Action got = d == decisions_.end() ? Action::keep : d->second.action;
    if (wish->scope_index == 0 && wish->action != got)
      throw Error(ErrorKind::usage,
                  fmt::format("the plan wants {} '{}' to become '{}', and the "
                              "peer would make it '{}'; that and 'float' are "
                              "what --preset ort can do.",
                              wish->op, wish->node, action_name(wish->action),
                              action_name(got)));
  }
  Result result;
  result.watches = std::move(watches_);
  for (auto& [index, d] : decisions_) result.decisions.push_back(std::move(d));
  return result;
}

}  // namespace

Result rewrite(ModelData& model, const Recipe& recipe) {
  return Walk(model, recipe).run();
}

Plan plan(const ModelData& model, const Recipe& recipe) {
  ModelData copy;
  copy.proto = model.proto;
  copy.blobs = model.blobs;
  Plan out;
  out.recipe = recipe;
  out.decisions = rewrite(copy, recipe).decisions;
  for (const Decision& d : out.decisions) {
    ++out.candidates;
    out.quantized += d.action != Action::keep;
  }
  return out;
}

}  // namespace octavo::ort
