// How a quantized copy is judged. In the copy, every value of the original that
// is still there keeps its name. So each node of the original is run alone, in
// float, on the inputs that it has in the copy; the copy's own value must be
// within what the scales allow:
//
//   |y' - y| <= Op(|x|, s/2) + Op(dx, |w|) + Op(dx, s/2) + rounding
//
// for an operator that is linear in x and in w, with s the weights' scales and
// dx the step of DynamicQuantizeLinear, which errs by up to a whole step at the
// ends of its range (0 without it). Op of absolute values is the operator run
// on them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/half.h"
#include "octavo/error.h"
#include "octavo/quantize.h"
#include "testing/random_graph.h"

namespace octavo::testing {
namespace {

using Values = std::map<std::string, Tensor>;

std::vector<float> floats_of(const Tensor& t) {
  std::vector<float> out(static_cast<size_t>(element_count(t.shape)));
  for (size_t i = 0; i < out.size(); ++i) {
    if (t.type == DType::float32) out[i] = t.as<float>()[i];
    if (t.type == DType::float64)
      out[i] = static_cast<float>(t.as<double>()[i]);
    if (t.type == DType::float16) out[i] = float16_value(t.as<uint16_t>()[i]);
  }
  return out;
}

bool is_floating(DType t) {
  return t == DType::float32 || t == DType::float64 || t == DType::float16;
}

Tensor as_float32(const Tensor& t) {
  return is_floating(t.type)
             ? make_tensor<float>(DType::float32, t.shape, floats_of(t))
             : t;
}

Tensor tensor_of(const onnx::TensorProto& t) {
  Tensor out = make_tensor(static_cast<DType>(t.data_type()),
                           {t.dims().begin(), t.dims().end()});
  const auto& raw = t.raw_data();
  std::copy_n(reinterpret_cast<const std::byte*>(raw.data()),
              std::min(raw.size(), out.bytes.size()), out.bytes.data());
  return out;
}

// What may differ: nothing but rounding, weights, or activations as well.
enum class Loss { none, weights, both };

// An If as random_graph makes it: a product and a function of one value.
bool is_simple_if(const onnx::NodeProto& node) {
  if (node.op_type() != "If") return false;
  for (const auto& a : node.attribute()) {
    int products = 0;
    for (const auto& n : a.g().node()) products += n.op_type() == "MatMul";
    if (products != 1) return false;
  }
  return true;
}

class Judge {
 public:
  Judge(const RandomGraph& graph, const std::shared_ptr<Runtime>& runtime)
      : graph_(graph), runtime_(runtime), proto_(graph.model->model()) {}

  Verdict run();

 private:
  std::vector<Value> run_model(Bytes bytes, const Feed& feed,
                               Optimization level) const {
    SessionOptions options;
    options.optimization = level;
    return open_session(runtime_, bytes, options)->run(feed);
  }
  // All of a model's values that nodes make and `names` holds.
  Values expose(onnx::ModelProto model, const std::set<std::string>& names,
                const Feed& feed) const;
  // One node alone, in float32.
  Tensor alone(const onnx::NodeProto& node, const Values& inputs,
               const std::string& output) const;

  // What is wrong with the outputs of an optimized model; "" where nothing.
  std::string wrong_outputs(Bytes model,
                            const std::vector<Value>& wanted) const;
  const Tensor& in_copy(const std::string& name) const;
  const Decision* decision(int node) const;
  std::string check(int index);
  std::string check_linear(const onnx::NodeProto& node, const Decision& d,
                           const Tensor& got, const Tensor& want);
  std::vector<float> bound(onnx::NodeProto node, int weight_at, const Tensor& x,
                           const Tensor& w, int axis, int batch_axes, Loss loss,
                           const std::string& output) const;
  Tensor scales(const Tensor& w, int axis, int batch_axes) const;
  std::string compare(const onnx::NodeProto& node, const Tensor& got,
                      const Tensor& want, const std::vector<float>& bound);
  double rounding() const { return half_ ? 6e-3 : 2e-5; }

  const RandomGraph& graph_;
  const std::shared_ptr<Runtime>& runtime_;
  const onnx::ModelProto& proto_;
  Plan plan_;
  Values original_, copy_;
  bool half_ = false;
  int checked_ = 0;
};

Values Judge::expose(onnx::ModelProto model, const std::set<std::string>& names,
                     const Feed& feed) const {
  std::set<std::string> outputs;
  for (const auto& o : model.graph().output()) outputs.insert(o.name());
  for (const auto& n : model.graph().node())
    for (const auto& o : n.output())
      if (!o.empty() && names.contains(o) && outputs.insert(o).second)
        model.mutable_graph()->add_output()->set_name(o);
  const std::string bytes = model.SerializeAsString();
  const auto values = run_model(as_bytes(bytes), feed, Optimization::disabled);
  Values out;
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i].kind == ValueKind::tensor)
      out[model.graph().output(static_cast<int>(i)).name()] = values[i].tensor;
  return out;
}

Tensor Judge::alone(const onnx::NodeProto& node, const Values& inputs,
                    const std::string& output) const {
  onnx::ModelProto m;
  m.set_ir_version(8);
  for (const auto& o : proto_.opset_import()) *m.add_opset_import() = o;
  auto* g = m.mutable_graph();
  g->set_name("one");
  *g->add_node() = node;
  TinyGraph tiny(*g);
  Feed feed;
  for (const auto& [name, t] : inputs) {
    tiny.input(name, t.type, t.shape);
    feed.inputs.push_back({name, t});
  }
  g->add_output()->set_name(output);
  const std::string bytes = m.SerializeAsString();
  return run_model(as_bytes(bytes), feed, Optimization::disabled).at(0).tensor;
}

const Tensor& Judge::in_copy(const std::string& name) const {
  const auto it = copy_.find(name);
  if (it != copy_.end()) return it->second;
  const auto of = original_.find(name);
  if (of == original_.end())
    throw Error(ErrorKind::format, "the judge knows no value " + name);
  return of->second;
}

const Decision* Judge::decision(int node) const {
  for (const Decision& d : plan_.decisions)
    if (d.scope_index == 0 && d.index == node && d.action != Action::keep)
      return &d;
  return nullptr;
}

// One scale a channel, shaped so that it broadcasts over the weight.
Tensor Judge::scales(const Tensor& w, int axis, int batch_axes) const {
  const auto v = floats_of(w);
  const auto rank = static_cast<int>(w.shape.size());
  Tensor s = make_tensor(DType::float32, w.shape);
  const auto group = [&](size_t element) {
    size_t id = 0, rest = element;
    for (int d = rank - 1, place = 1; d >= 0; --d) {
      const auto size = static_cast<size_t>(w.shape[static_cast<size_t>(d)]);
      if (axis >= 0 && (d == axis || d < batch_axes)) {
        id += rest % size * static_cast<size_t>(place);
        place *= static_cast<int>(size);
      }
      rest /= size;
    }
    return id;
  };
  std::map<size_t, float> largest;
  for (size_t i = 0; i < v.size(); ++i)
    largest[group(i)] = std::max(largest[group(i)], std::abs(v[i]));
  for (size_t i = 0; i < v.size(); ++i) s.as<float>()[i] = largest[group(i)];
  return s;
}

std::vector<float> Judge::bound(onnx::NodeProto node, int weight_at,
                                const Tensor& x, const Tensor& w, int axis,
                                int batch_axes, Loss loss,
                                const std::string& output) const {
  // Without bias, which Gemm must have before opset 11, and with a positive
  // factor.
  while (node.input_size() > 2) node.mutable_input()->RemoveLast();
  const bool gemm = node.op_type() == "Gemm";
  if (gemm) node.add_input("nothing");
  for (auto& a : *node.mutable_attribute())
    if (a.name() == "alpha") a.set_f(std::abs(a.f()));
  const bool dynamic = loss == Loss::both;
  const int limit = graph_.recipe.reduce_range && dynamic ? 64 : 127;
  const auto xs = floats_of(x), ws = floats_of(w);
  float low = 0, high = 0;
  for (const float v : xs) low = std::min(low, v), high = std::max(high, v);
  const float dx = dynamic ? (high - low) / 255 : 0;
  Tensor x_abs = as_float32(x), w_abs = as_float32(w);
  Tensor x_err = make_tensor(DType::float32, x.shape);
  Tensor w_err = scales(w, axis, batch_axes);
  for (float& v : x_abs.as<float>()) v = std::abs(v);
  for (float& v : w_abs.as<float>()) v = std::abs(v);
  for (float& v : x_err.as<float>()) v = dx;
  for (float& v : w_err.as<float>())
    v = loss == Loss::none ? 0 : v / (2 * static_cast<float>(limit));
  const std::string wn = "w", xn = "x";
  node.set_input(weight_at, wn);
  node.set_input(1 - weight_at, xn);
  const auto term = [&](const Tensor& a, const Tensor& b) {
    Values inputs = {{xn, a}, {wn, b}};
    if (gemm) inputs["nothing"] = make_tensor(DType::float32, {1});
    return floats_of(alone(node, inputs, output));
  };
  const auto a = term(x_abs, w_err), b = term(x_err, w_abs),
             c = term(x_err, w_err), whole = term(x_abs, w_abs);
  std::vector<float> sum(a.size());
  for (size_t i = 0; i < sum.size(); ++i)
    sum[i] = a[i] + b[i] + c[i] + static_cast<float>(rounding()) * whole[i];
  return sum;
}

std::string Judge::compare(const onnx::NodeProto& node, const Tensor& got,
                           const Tensor& want,
                           const std::vector<float>& bound) {
  if (got.shape != want.shape)
    return fmt::format("{} {} has shape {} in the copy, {} alone",
                       node.op_type(), node.output(0), shape_text(got.shape),
                       shape_text(want.shape));
  ++checked_;
  if (!is_floating(got.type)) {
    return got.bytes == want.bytes
               ? ""
               : fmt::format("{} {} differs", node.op_type(), node.output(0));
  }
  const auto g = floats_of(got), w = floats_of(want);
  for (size_t i = 0; i < g.size(); ++i) {
    const float slack = bound.empty() ? 0 : bound[i];
    const auto allowed = slack * 1.001 + 1e-30 +
                         rounding() * std::abs(static_cast<double>(w[i])) +
                         (half_ ? 1e-2 : 1e-6);
    if (!std::isfinite(w[i]) || !std::isfinite(slack)) continue;
    if (!(std::abs(static_cast<double>(g[i]) - w[i]) <= allowed))
      return fmt::format(
          "{} {} [{}] is {} in the copy, {} alone, and at most "
          "{} apart was allowed",
          node.op_type(), node.output(0), i, g[i], w[i], allowed);
  }
  return "";
}

std::string Judge::check_linear(const onnx::NodeProto& node, const Decision& d,
                                const Tensor& got, const Tensor& want) {
  const int at = d.inputs.at(0);
  const Tensor& x = in_copy(node.input(1 - at));
  const Tensor w = original_.at(node.input(at));
  const bool dynamic =
      d.action == Action::integer || d.action == Action::conv_integer;
  const auto rank = static_cast<int>(w.shape.size());
  int axis = -1, batch = 0;
  if (graph_.recipe.per_channel && rank >= 2) {
    const std::string& op = node.op_type();
    axis = op == "Conv" ? 0 : op == "ConvTranspose" ? 1 : rank - 1;
    if (op == "MatMul") {
      batch = rank - 2;
      if (at == 0) axis = rank - 2;
    }
    if (op == "Gemm") {
      int64_t turned = 0;
      for (const auto& a : node.attribute())
        if (a.name() == (at == 1 ? "transB" : "transA")) turned = a.i();
      axis = (at == 1) == (turned != 0) ? 0 : 1;
    }
  }
  std::vector<float> allowed =
      bound(node, at, x, w, axis, batch, dynamic ? Loss::both : Loss::weights,
            node.output(0));
  // What a bias may round.
  if (node.input_size() > 2) {
    const auto c = floats_of(original_.at(node.input(2)));
    float largest = 0;
    for (const float v : c) largest = std::max(largest, std::abs(v));
    for (float& v : allowed) v += static_cast<float>(4 * rounding()) * largest;
  }
  return compare(node, got, want, allowed);
}

// A node of the original against its value in the copy; "" where well.
std::string Judge::check(int index) {
  const onnx::NodeProto& node = proto_.graph().node(index);
  if (node.op_type() == "Constant" || node.output_size() == 0) return "";
  const std::string& y = node.output(0);
  const auto got = copy_.find(y);
  if (got == copy_.end()) return "";
  const Decision* d = decision(index);
  Values inputs;
  for (const auto& i : node.input()) {
    if (i.empty()) continue;
    if (!copy_.contains(i) && !original_.contains(i)) return "";  // no tensor
    inputs[i] = d ? as_float32(in_copy(i)) : in_copy(i);
  }
  std::vector<float> allowed;
  if (is_simple_if(node)) {
    for (auto& [name, t] : inputs) t = as_float32(t);
    const bool taken = in_copy(node.input(0)).bytes[0] != std::byte{0};
    onnx::NodeProto in_float = node;
    const onnx::GraphProto* body = nullptr;
    const char* side = taken ? "then_branch" : "else_branch";
    for (const auto& a : node.attribute())
      if (a.name() == side) body = &a.g();
    for (auto& a : *in_float.mutable_attribute()) {
      for (auto& t : *a.mutable_g()->mutable_initializer()) {
        const Tensor f = as_float32(tensor_of(t));
        t.set_data_type(static_cast<int>(f.type));
        t.set_raw_data(f.bytes.data(), f.bytes.size());
      }
      for (auto& n : *a.mutable_g()->mutable_node())
        if (n.op_type() == "Constant") {
          auto& t = *n.mutable_attribute(0)->mutable_t();
          const Tensor f = as_float32(tensor_of(t));
          t.set_data_type(static_cast<int>(f.type));
          t.set_raw_data(f.bytes.data(), f.bytes.size());
        }
      for (auto& o : *a.mutable_g()->mutable_output())
        o.mutable_type()->mutable_tensor_type()->set_elem_type(1);
      for (const auto& n : a.g().node())
        for (const auto& i : n.input())
          if (original_.contains(i)) inputs[i] = as_float32(in_copy(i));
    }
    const Tensor want = alone(in_float, inputs, y);
    // Perhaps a Constant, then the product and a function of one value.
    const auto& first = body->node(0);
    const bool constant = first.op_type() == "Constant";
    const auto& product = constant ? body->node(1) : first;
    const Tensor w = constant ? tensor_of(first.attribute(0).t())
                     : body->initializer_size() > 0
                         ? tensor_of(body->initializer(0))
                         : original_.at(product.input(1));
    bool dynamic = false, quantized = false;
    const std::string path = fmt::format(
        "{}.{}",
        node.name().empty() ? fmt::format("If#{}", index) : node.name(), side);
    for (const Decision& d : plan_.decisions)
      if (d.scope == path && d.action != Action::keep) {
        quantized = true;
        dynamic |= d.action == Action::integer;
      }
    onnx::NodeProto plain = product;
    if (quantized)
      allowed = bound(plain, 1, in_copy(product.input(0)), w,
                      graph_.recipe.per_channel ? 1 : -1, 0,
                      dynamic ? Loss::both : Loss::weights, product.output(0));
    return compare(node, got->second, want, allowed);
  }
  const std::string& op = node.op_type();
  if (std::any_of(node.attribute().begin(), node.attribute().end(),
                  [](const auto& a) { return a.has_g(); }))
    return "";  // bodies of other kinds are not judged
  const bool recurrent = op == "LSTM" || op == "GRU" || op == "RNN";
  // Its steps feed on each other: what the copy owes is told by other tests.
  if (d && recurrent) {
    const auto g = floats_of(got->second);
    for (const float v : g)
      if (!(std::abs(v) <= 1.0001f))
        return fmt::format("{} gives {}, outside of [-1, 1]", op, v);
    return "";
  }
  const Tensor want = alone(node, inputs, y);
  if (!d) {
    // A product rounds by its order, which other ways of packing change.
    if (op == "MatMul" || op == "Gemm" || op == "Conv" || op == "ConvTranspose")
      return compare(node, got->second, want,
                     bound(node, 1, in_copy(node.input(0)),
                           in_copy(node.input(1)), -1, 0, Loss::none, y));
    return compare(node, got->second, want, {});
  }
  if (op == "Gather") {
    const Tensor& table = original_.at(node.input(0));
    int axis = 0;
    for (const auto& a : node.attribute())
      if (a.name() == "axis") axis = static_cast<int>(a.i());
    Tensor s = scales(table, axis, 0);
    for (float& v : s.as<float>()) v /= 2 * 127;
    Values of = {{node.input(0), s}, {node.input(1), inputs[node.input(1)]}};
    return compare(node, got->second, want, floats_of(alone(node, of, y)));
  }
  return check_linear(node, *d, got->second, want);
}

std::string Judge::wrong_outputs(Bytes model,
                                 const std::vector<Value>& wanted) const {
  try {
    const auto got = run_model(model, graph_.feed, Optimization::all);
    for (size_t i = 0; i < wanted.size(); ++i)
      if (got.at(i).tensor.type != wanted[i].tensor.type ||
          got[i].tensor.shape != wanted[i].tensor.shape)
        return fmt::format("output {} has another type or shape", i);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

Verdict Judge::run() {
  Verdict verdict;
  const std::string bytes = proto_.SerializeAsString();
  std::set<std::string> names;
  for (const auto& n : proto_.graph().node())
    names.insert(n.output().begin(), n.output().end());
  std::vector<Value> before;
  try {
    original_ = expose(proto_, names, graph_.feed);
    // Without optimizations, some of which break some originals.
    before = run_model(as_bytes(bytes), graph_.feed, Optimization::disabled);
  } catch (const Error& e) {
    const std::string why = e.what();
    if (why.find("NOT_IMPLEMENTED") == std::string::npos &&
        why.find("Could not find an implementation") == std::string::npos &&
        why.find("two nodes with same node name") == std::string::npos)
      verdict.fault = "the original does not run: " + why;
    return verdict;  // this runtime has no kernel for it
  }
  verdict.ran = true;
  for (const auto& [name, value] : graph_.feed.inputs) {
    original_[name] = value.tensor;
    copy_[name] = value.tensor;
  }
  for (const auto& t : proto_.graph().initializer())
    original_[t.name()] = tensor_of(t);
  for (const auto& [name, t] : original_) half_ |= t.type == DType::float16;

  QuantizeOptions options;
  options.recipe = graph_.recipe;
  options.source_hash = false;
  QuantizedBytes q = quantize_bytes(as_bytes(bytes), options);
  plan_ = q.plan;
  verdict.quantized = static_cast<int>(plan_.quantized);
  // With optimizations, too, unless they break the original as well.
  const std::string broken = wrong_outputs(q.model, before);
  if (!broken.empty() && wrong_outputs(as_bytes(bytes), before).empty())
    verdict.fault = broken;
  onnx::ModelProto copy;
  if (!copy.ParseFromArray(q.model.data(), static_cast<int>(q.model.size())))
    verdict.fault = "the copy does not parse";
  for (auto& [name, t] : expose(copy, names, graph_.feed)) copy_[name] = t;
  for (int i = 0; i < proto_.graph().node_size() && verdict.fault.empty(); ++i)
    verdict.fault = check(i);
  // Weights that are outputs are the very same.
  for (const auto& o : proto_.graph().output())
    for (const auto& t : proto_.graph().initializer())
      if (verdict.fault.empty() && t.name() == o.name() &&
          copy_.at(o.name()).bytes != tensor_of(t).bytes)
        verdict.fault = "the weight and output " + o.name() + " changed";
  const QuantizedBytes again = quantize_bytes(q.model, options);
  if (verdict.fault.empty() && again.model != q.model)
    verdict.fault = "a second run changes the copy";
  verdict.checked = checked_;
  return verdict;
}

}  // namespace

Verdict judge(const RandomGraph& graph,
              const std::shared_ptr<Runtime>& runtime) {
  try {
    return Judge(graph, runtime).run();
  } catch (const std::exception& e) {
    Verdict v;
    v.fault = e.what();
    return v;
  }
}

std::pair<int, Verdict> minimised(uint64_t seed, int64_t newest,
                                  const std::shared_ptr<Runtime>& runtime) {
  for (int steps = 1;; ++steps) {
    Verdict v = judge(random_graph(seed, steps, newest), runtime);
    if (!v.fault.empty() || steps == kMaxSteps) return {steps, std::move(v)};
  }
}

}  // namespace octavo::testing
