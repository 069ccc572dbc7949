#include "quant/rewrite.h"

#include <cstring>

namespace octavo {

namespace {

void fill_node(onnx::NodeProto& n, std::string_view op, const Names& inputs,
               const Names& outputs, std::string_view name) {
  n.set_op_type(op.data(), op.size());
  if (!name.empty()) n.set_name(name.data(), name.size());
  for (const auto i : inputs) n.add_input(i.data(), i.size());
  for (const auto o : outputs) n.add_output(o.data(), o.size());
}

void set_cast_type(onnx::NodeProto& cast, DType to) {
  auto* a = cast.add_attribute();
  a->set_name("to");
  a->set_type(onnx::AttributeProto::INT);
  a->set_i(static_cast<int64_t>(to));
}

}  // namespace

onnx::NodeProto make_node(std::string_view op, const Names& inputs,
                          const Names& outputs, std::string_view name) {
  onnx::NodeProto n;
  fill_node(n, op, inputs, outputs, name);
  return n;
}

onnx::NodeProto make_cast(std::string_view in, std::string_view out, DType to,
                          std::string_view name) {
  onnx::NodeProto n = make_node("Cast", {in}, {out}, name);
  set_cast_type(n, to);
  return n;
}

onnx::NodeProto& append_node(NodeList& nodes, std::string_view op,
                             const Names& inputs, const Names& outputs,
                             std::string_view name) {
  onnx::NodeProto& n = *nodes.Add();
  fill_node(n, op, inputs, outputs, name);
  return n;
}

void append_cast(NodeList& nodes, std::string_view in, std::string_view out,
                 DType to, std::string_view name) {
  set_cast_type(append_node(nodes, "Cast", {in}, {out}, name), to);
}

void set_int(onnx::NodeProto& node, const std::string& name, int64_t value) {
  auto* a = node.add_attribute();
  a->set_name(name);
  a->set_type(onnx::AttributeProto::INT);
  a->set_i(value);
}

void set_ints(onnx::NodeProto& node, const std::string& name,
              const std::vector<int64_t>& values) {
  auto* a = node.add_attribute();
  a->set_name(name);
  a->set_type(onnx::AttributeProto::INTS);
  for (const int64_t v : values) a->add_ints(v);
}

std::vector<int64_t> swap_last_two(size_t rank) {
  std::vector<int64_t> perm(rank);
  for (size_t i = 0; i < rank; ++i) perm[i] = static_cast<int64_t>(i);
  std::swap(perm[rank - 1], perm[rank - 2]);
  return perm;
}

void append_transpose(NodeList& nodes, std::string_view in,
                      std::string_view out, const std::vector<int64_t>& perm,
                      std::string_view name) {
  set_ints(append_node(nodes, "Transpose", {in}, {out}, name), "perm", perm);
}

std::shared_ptr<QuantizedWeight> RewriteContext::weight(
    const Constant& c, const WeightLayout& layout) {
  const WeightGroups groups = weight_groups(c, layout);
  auto& w = weights_[groups];
  if (!w) {
    w = std::make_shared<QuantizedWeight>(index.model(), c, groups,
                                          recipe.scaling);
    watches.push_back(w);
  }
  edit.release(c);
  return w;
}

std::string RewriteContext::values(const Constant& c,
                                   const WeightLayout& layout) {
  const WeightGroups groups = weight_groups(c, layout);
  const bool swapped = is_swapped(c, layout);
  const Shape shape = quantized_shape(c, layout);
  std::string& name = values_[{groups, swapped, shape}];
  if (!name.empty()) return name;
  const auto w = weight(c, layout);
  const std::string base(c.source->name);
  if (shape.size() >= 2) {
    Shape other = shape;
    std::swap(other[other.size() - 1], other[other.size() - 2]);
    const auto turned = values_.find({groups, !swapped, other});
    if (turned != values_.end() && !turned->second.empty()) {
      // It is there the other way round, as an embedding that is also the
      // head: turned over by the runtime, at load, rather than stored twice.
      name = edit.unique_name(base + "_quantized_transposed");
      append_transpose(edit.opening(*c.source->scope), turned->second, name,
                       swap_last_two(shape.size()), name);
      return name;
    }
  }
  name = edit.unique_name(base + "_quantized");
  onnx::TensorProto t;
  t.set_name(name);
  t.set_data_type(static_cast<int>(layout.offset ? DType::uint8 : DType::int8));
  for (const int64_t d : shape) t.add_dims(d);
  t.set_blob(index.model().add_blob(w->values(swapped)));
  edit.add_initializer(*c.source->scope, std::move(t));
  return name;
}

std::string RewriteContext::factors(const Constant& c,
                                    const WeightLayout& layout) {
  if (!layout.offset) weight(c, layout)->count_pairs(is_swapped(c, layout));
  return values(c, layout);
}

std::string RewriteContext::scales(const Constant& c,
                                   const WeightLayout& layout, float factor,
                                   const Shape& shape) {
  auto& name = scales_[{weight_groups(c, layout), factor, shape}];
  if (!name.empty()) return name;
  name = edit.unique_name(std::string(c.source->name) + "_scale");
  onnx::TensorProto t;
  t.set_name(name);
  t.set_data_type(static_cast<int>(DType::float32));
  for (const int64_t d : shape) t.add_dims(d);
  t.set_blob(index.model().add_blob(weight(c, layout)->scales(factor)));
  edit.add_initializer(*c.source->scope, std::move(t));
  return name;
}

void RewriteContext::append_dequantized(const Constant& c,
                                        const WeightLayout& layout,
                                        const std::string& name) {
  const std::string base(c.source->name);
  // The scales stand where their axes are, and are 1 elsewhere.
  Shape shape(c.shape.size(), 1);
  for (int i = 0; i < layout.batch_axes; ++i)
    shape[static_cast<size_t>(i)] = c.shape[static_cast<size_t>(i)];
  if (layout.channel_axis >= 0) {
    const auto axis = static_cast<size_t>(layout.channel_axis);
    shape[axis] = c.shape[axis];
  }
  const std::string q = values(c, layout);
  const std::string s = scales(c, layout, 1.0f, shape);
  const Scope& home = *c.source->scope;
  const std::string cast = edit.unique_name(base + "_quantized_cast");
  append_cast(edit.opening(home), q, cast, DType::float32, cast);
  const bool plain = c.type == DType::float32;
  const std::string product =
      plain ? name : edit.unique_name(base + "_dequantized_float");
  append_node(edit.opening(home), "Mul", {cast, s}, {product},
              edit.unique_name(base + "_dequantize"));
  if (!plain)
    append_cast(edit.opening(home), product, name, c.type,
                edit.unique_name(base + "_dequantize_cast"));
}

std::string RewriteContext::stored(const Constant& c,
                                   const WeightLayout& layout) {
  auto& name = stored_[{weight_groups(c, layout), is_swapped(c, layout),
                        c.shape, c.type}];
  if (name.empty()) {
    name = edit.unique_name(std::string(c.source->name) + "_dequantized");
    append_dequantized(c, layout, name);
  }
  return name;
}

void RewriteContext::store_in_place(const Constant& c,
                                    const WeightLayout& layout) {
  if (!in_place_.insert(c.source).second) return;
  append_dequantized(c, layout, std::string(c.source->name));
  edit.remove(*c.source);
}

std::string RewriteContext::initializer(const Scope& scope,
                                        const std::string& wish,
                                        const Tensor& value) {
  onnx::TensorProto t;
  t.set_name(edit.unique_name(wish));
  t.set_data_type(static_cast<int>(value.type));
  for (const int64_t d : value.shape) t.add_dims(d);
  t.set_raw_data(value.bytes.data(), value.bytes.size());
  std::string name = t.name();
  edit.add_initializer(scope, std::move(t));
  return name;
}

RewriteContext::Activation RewriteContext::activation(const Scope& scope,
                                                      const std::string& value,
                                                      DType type,
                                                      NodeList& nodes) {
  Activation& a = activations_[{&scope, value}];
  if (!a.values.empty()) return a;
  std::string in = value;
  if (type != DType::float32) {
    in = edit.unique_name(value + "_float");
    append_cast(nodes, value, in, DType::float32, in);
  }
  a = {edit.unique_name(value + "_quantized"),
       edit.unique_name(value + "_scale"),
       edit.unique_name(value + "_zero_point")};
  append_node(nodes, "DynamicQuantizeLinear", {in},
              {a.values, a.scale, a.zero_point},
              edit.unique_name(value + "_QuantizeLinear"));
  return a;
}

void append_rescale(RewriteContext& ctx, const std::string& node_name,
                    const std::string& product, const std::string& input_scale,
                    const std::string& weight_scale, DType type,
                    const std::string& output, NodeList& nodes) {
  const std::string cast = ctx.edit.unique_name(product + "_cast");
  const std::string scales =
      ctx.edit.unique_name(node_name + "_quant_scales_mul");
  append_cast(nodes, product, cast, DType::float32, cast);
  append_node(nodes, "Mul", {input_scale, weight_scale}, {scales}, scales);
  const bool plain = type == DType::float32;
  const std::string result =
      plain ? output : ctx.edit.unique_name(output + "_float");
  append_node(nodes, "Mul", {cast, scales}, {result},
              ctx.edit.unique_name(node_name + "_quant_output_scale_mul"));
  if (!plain)
    append_cast(nodes, result, output, type,
                ctx.edit.unique_name(node_name + "_quant_cast"));
}

}  // namespace octavo
