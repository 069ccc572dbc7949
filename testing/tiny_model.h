// Builds small models for tests, in few words.
//
//   TinyModel m;
//   m.input("x", DType::float32, {-1, 2});
//   m.init<float>("w", DType::float32, {2, 2}, {127, 1, 2, -127});
//   m.node("MatMul", {"x", "w"}, {"y"}, "mm");
//   m.output("y", DType::float32, {-1, 2});
//   std::string bytes = m.bytes();
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "octavo/model.h"
#include "octavo/tensor.h"
#include "proto/onnx.pb.h"

namespace octavo::testing {

// A graph under construction: the model's, or a body's.
class TinyGraph {
 public:
  explicit TinyGraph(onnx::GraphProto& graph) : graph_(graph) {}

  // -1 in a shape is a dimension without a number.
  TinyGraph& input(const std::string& name, DType type, const Shape& shape) {
    value_info(*graph_.add_input(), name, type, shape);
    return *this;
  }
  TinyGraph& output(const std::string& name, DType type, const Shape& shape) {
    value_info(*graph_.add_output(), name, type, shape);
    return *this;
  }
  // An output of unknown shape.
  TinyGraph& output(const std::string& name, DType type) {
    auto* v = graph_.add_output();
    v->set_name(name);
    v->mutable_type()->mutable_tensor_type()->set_elem_type(
        static_cast<int>(type));
    return *this;
  }
  TinyGraph& info(const std::string& name, DType type, const Shape& shape) {
    value_info(*graph_.add_value_info(), name, type, shape);
    return *this;
  }
  template <typename T>
  TinyGraph& init(const std::string& name, DType type, const Shape& shape,
                  const std::vector<T>& values) {
    tensor<T>(*graph_.add_initializer(), name, type, shape, values);
    return *this;
  }
  TinyGraph& floats(const std::string& name, const Shape& shape,
                    const std::vector<float>& values) {
    return init<float>(name, DType::float32, shape, values);
  }
  // A Constant node.
  template <typename T>
  TinyGraph& constant(const std::string& output, DType type, const Shape& shape,
                      const std::vector<T>& values) {
    auto& n = node("Constant", {}, {output});
    auto* a = n.add_attribute();
    a->set_name("value");
    a->set_type(onnx::AttributeProto::TENSOR);
    tensor<T>(*a->mutable_t(), "", type, shape, values);
    return *this;
  }
  onnx::NodeProto& node(const std::string& op,
                        const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs,
                        const std::string& name = "",
                        const std::string& domain = "") {
    auto* n = graph_.add_node();
    n->set_op_type(op);
    if (!name.empty()) n->set_name(name);
    if (!domain.empty()) n->set_domain(domain);
    for (const auto& i : inputs) n->add_input(i);
    for (const auto& o : outputs) n->add_output(o);
    return *n;
  }
  onnx::GraphProto& proto() { return graph_; }

  template <typename T>
  static void tensor(onnx::TensorProto& t, const std::string& name, DType type,
                     const Shape& shape, const std::vector<T>& values) {
    if (!name.empty()) t.set_name(name);
    t.set_data_type(static_cast<int>(type));
    for (const int64_t d : shape) t.add_dims(d);
    t.set_raw_data(values.data(), values.size() * sizeof(T));
  }

 private:
  static void value_info(onnx::ValueInfoProto& v, const std::string& name,
                         DType type, const Shape& shape) {
    v.set_name(name);
    auto* t = v.mutable_type()->mutable_tensor_type();
    t->set_elem_type(static_cast<int>(type));
    t->mutable_shape();
    for (const int64_t d : shape) {
      auto* dim = t->mutable_shape()->add_dim();
      if (d >= 0) dim->set_dim_value(d);
    }
  }

  onnx::GraphProto& graph_;
};

inline onnx::AttributeProto& attribute(onnx::NodeProto& n, const char* name) {
  auto* a = n.add_attribute();
  a->set_name(name);
  return *a;
}
inline void set_int(onnx::NodeProto& n, const char* name, int64_t value) {
  auto& a = attribute(n, name);
  a.set_type(onnx::AttributeProto::INT);
  a.set_i(value);
}
inline void set_float(onnx::NodeProto& n, const char* name, float value) {
  auto& a = attribute(n, name);
  a.set_type(onnx::AttributeProto::FLOAT);
  a.set_f(value);
}
inline void set_string(onnx::NodeProto& n, const char* name,
                       const std::string& value) {
  auto& a = attribute(n, name);
  a.set_type(onnx::AttributeProto::STRING);
  a.set_s(value);
}
inline void set_ints(onnx::NodeProto& n, const char* name,
                     const std::vector<int64_t>& values) {
  auto& a = attribute(n, name);
  a.set_type(onnx::AttributeProto::INTS);
  for (const int64_t v : values) a.add_ints(v);
}
// An empty body to be filled.
inline TinyGraph add_graph(onnx::NodeProto& n, const char* name) {
  auto& a = attribute(n, name);
  a.set_type(onnx::AttributeProto::GRAPH);
  a.mutable_g()->set_name(name);
  return TinyGraph(*a.mutable_g());
}

class TinyModel : public TinyGraph {
 public:
  explicit TinyModel(int64_t opset = 17, int64_t ir = 8)
      : TinyModel(std::make_unique<onnx::ModelProto>(), opset, ir) {}
  TinyModel(const TinyModel&) = delete;
  TinyModel& operator=(const TinyModel&) = delete;

  void opset(const std::string& domain, int64_t version) {
    auto* o = model_->add_opset_import();
    o->set_domain(domain);
    o->set_version(version);
  }
  onnx::ModelProto& model() { return *model_; }
  std::string bytes() const { return model_->SerializeAsString(); }

 private:
  TinyModel(std::unique_ptr<onnx::ModelProto> model, int64_t opset_version,
            int64_t ir)
      : TinyGraph(*model->mutable_graph()), model_(std::move(model)) {
    model_->set_ir_version(ir);
    model_->set_producer_name("tiny");
    model_->mutable_graph()->set_name("g");
    opset("", opset_version);
  }
  std::unique_ptr<onnx::ModelProto> model_;
};

inline Bytes as_bytes(const std::string& s) {
  return std::as_bytes(std::span(s.data(), s.size()));
}

// M0 of the plan: y = x [[127, 1], [2, -127]]; x = [0, 255] gives
// [510, -32385], and so it does in int8: both scales are exactly 1.
inline void add_m0(TinyModel& m) {
  m.input("x", DType::float32, {1, 2});
  m.floats("W", {2, 2}, {127, 1, 2, -127});
  m.node("MatMul", {"x", "W"}, {"y"}, "mm");
  m.output("y", DType::float32, {1, 2});
}

}  // namespace octavo::testing
