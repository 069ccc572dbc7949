#include "testing/random_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "octavo/error.h"

namespace octavo::testing {
namespace {

// float32 to float16 for values that it holds exactly.
uint16_t half_bits(float value) {
  if (value == 0) return 0;
  int exponent = 0;
  const float mantissa = std::frexp(std::abs(value), &exponent);
  const auto bits = static_cast<uint16_t>(std::ldexp(mantissa, 11)) & 0x3ff;
  return static_cast<uint16_t>((value < 0 ? 0x8000 : 0) |
                               ((exponent + 14) << 10) | bits);
}

class Maker {
 public:
  Maker(uint64_t seed, int64_t newest) : random_(seed) {
    const int64_t opset =
        7 +
        static_cast<int64_t>(random_.below(static_cast<uint64_t>(newest - 6)));
    const int64_t ir = chance(10) ? 3 : 4 + static_cast<int64_t>(below(4));
    opset_ = opset;
    ir_ = opset < 9 ? ir : std::max<int64_t>(ir, 4);
    graph_.model = std::make_unique<TinyModel>(opset_, ir_);
    const size_t kind = below(20);
    type_ = kind == 0   ? DType::float16
            : kind == 1 ? DType::float64
                        : DType::float32;
    // Only float32 is implemented for all that is used here.
    Recipe& r = graph_.recipe;
    r.min_bytes = chance(20) ? 64 : 0;
    r.per_channel = !chance(25);
    r.standard_ops = chance(20);
    r.reduce_range = chance(15);
    r.conv = chance(35) ? ConvMode::integer : ConvMode::storage;
    graph_.text = fmt::format(
        "opset {}, IR {}, {}{}{}{}\n", opset_, ir_, dtype_name(type_),
        r.per_channel ? "" : ", per tensor", r.reduce_range ? ", reduced" : "",
        r.conv == ConvMode::integer ? ", integer conv" : "");
    for (int i = 0; i < 2; ++i) {
      const Shape shape = {2 + static_cast<int64_t>(below(2)),
                           3 + static_cast<int64_t>(below(6))};
      add_input(fmt::format("x{}", i), shape);
    }
  }

  RandomGraph make(int steps) {
    const int wanted = 1 + static_cast<int>(below(kMaxSteps));
    for (int i = 0; i < std::min(steps, wanted); ++i) step();
    // Something must come out; and what nobody reads may stay unread.
    const Value& last = values_.back();
    output(last);
    for (const Value& v : values_)
      if (v.name != last.name && !v.input && chance(40)) output(v);
    return std::move(graph_);
  }

 private:
  struct Value {
    std::string name;
    Shape shape;
    bool input = false;
  };
  struct Weight {
    std::string name;
    Shape shape;
  };

  size_t below(size_t n) { return static_cast<size_t>(random_.below(n)); }
  bool chance(int percent) { return below(100) < static_cast<size_t>(percent); }
  TinyModel& m() { return *graph_.model; }
  int64_t size() { return 2 + static_cast<int64_t>(below(7)); }
  std::string fresh(const char* stem) {
    // Some names are those that quantizers like to make.
    const char* ends[] = {
        "", "", "", "_scale", "_quantized", "_zero_point", "_output_quantized"};
    return fmt::format("{}{}{}", stem, count_++, ends[below(std::size(ends))]);
  }
  std::string node_name() {
    if (chance(25)) return "";
    if (chance(10)) return "same";
    return fmt::format("n{}", count_++);
  }
  void tell(const std::string& line) { graph_.text += line + "\n"; }

  void output(const Value& v) {
    for (const auto& o : m().proto().output())
      if (o.name() == v.name) return;
    m().output(v.name, type_, v.shape);
  }

  std::vector<float> numbers(size_t n, size_t columns) {
    // Columns of different size, some of them odd.
    std::vector<float> factor(std::max<size_t>(1, columns));
    for (float& f : factor) {
      f = static_cast<float>(std::exp2(static_cast<int>(below(7)) - 3));
      if (type_ == DType::float32 && chance(6)) f = 0;
      if (type_ == DType::float32 && chance(3)) f = 1e-42f;
      if (type_ == DType::float32 && chance(3)) f = 1e4f;
    }
    std::vector<float> v(n);
    for (size_t i = 0; i < n; ++i)
      v[i] = static_cast<float>(static_cast<int>(below(129)) - 64) / 64 *
             factor[i % factor.size()];
    return v;
  }

  Tensor tensor(DType type, const Shape& shape, const std::vector<float>& v) {
    Tensor t = make_tensor(type, shape);
    for (size_t i = 0; i < v.size(); ++i) {
      if (type == DType::float32) t.as<float>()[i] = v[i];
      if (type == DType::float64) t.as<double>()[i] = v[i];
      if (type == DType::float16) t.as<uint16_t>()[i] = half_bits(v[i]);
    }
    return t;
  }

  static void store(onnx::TensorProto& to, const std::string& name,
                    const Tensor& t) {
    if (!name.empty()) to.set_name(name);
    to.set_data_type(static_cast<int>(t.type));
    for (const int64_t d : t.shape) to.add_dims(d);
    to.set_raw_data(t.bytes.data(), t.bytes.size());
  }

  void add_input(const std::string& name, const Shape& shape) {
    m().input(name, type_, shape);
    std::vector<float> v =
        numbers(static_cast<size_t>(element_count(shape)), 1);
    graph_.feed.inputs.push_back({name, tensor(type_, shape, v)});
    values_.push_back({name, shape, true});
  }

  void initializer(const std::string& name, const Tensor& t) {
    store(*m().proto().add_initializer(), name, t);
    if (ir_ < 4) m().input(name, t.type, t.shape);
  }

  // A weight by one of the ways that a constant may arrive by.
  std::string weight(const Shape& shape, bool may_share = true) {
    for (const Weight& w : weights_)
      if (may_share && w.shape == shape && chance(50)) {
        tell(fmt::format("  shares {}", w.name));
        return w.name;
      }
    const auto n = static_cast<size_t>(element_count(shape));
    const Tensor t = tensor(
        type_, shape,
        numbers(n, static_cast<size_t>(shape.empty() ? 1 : shape.back())));
    std::string name = fresh("W");
    const size_t way = below(10);
    if (way == 0) {
      auto& c = m().node("Constant", {}, {name});
      auto& a = attribute(c, "value");
      a.set_type(onnx::AttributeProto::TENSOR);
      store(*a.mutable_t(), "", t);
      tell("  weight of a Constant");
    } else if (way == 1) {
      const std::string from = fresh("I");
      initializer(from, t);
      m().node("Identity", {from}, {name});
      tell("  weight behind Identity");
    } else if (way == 2 && shape.size() == 2) {
      const std::string from = fresh("T");
      initializer(from, tensor(type_, {shape[1], shape[0]},
                               numbers(n, static_cast<size_t>(shape[0]))));
      m().node("Transpose", {from}, {name});
      tell("  weight behind Transpose");
    } else if (way == 3) {
      const std::string from = fresh("R"), to = fresh("shape");
      Tensor flat = t;
      flat.shape = {static_cast<int64_t>(n)};
      initializer(from, flat);
      initializer(
          to, make_tensor<int64_t>(
                  DType::int64, {static_cast<int64_t>(shape.size())}, shape));
      m().node("Reshape", {from, to}, {name});
      tell("  weight behind Reshape");
    } else {
      initializer(name, t);
      if (ir_ >= 4 && chance(5)) {
        m().input(name, t.type, t.shape);
        tell("  weight that may be overridden");
      }
      if (chance(5)) {
        output({name, shape});
        tell("  weight that is an output");
      }
    }
    weights_.push_back({name, shape});
    return name;
  }

  // A value of that rank; a reshaped one where there is none.
  Value value(size_t rank) {
    std::vector<Value> fit;
    for (const Value& v : values_)
      if (v.shape.size() == rank) fit.push_back(v);
    if (!fit.empty()) return fit[below(fit.size())];
    const Value& from = values_[below(values_.size())];
    Shape shape(rank, 1);
    shape[rank - 1] = element_count(from.shape);
    for (size_t i = rank - 1; i > 0 && shape[rank - 1] % 2 == 0; --i) {
      shape[rank - 1] /= 2;
      shape[i - 1] = 2;
    }
    const std::string to = fresh("shape"), name = fresh("v");
    initializer(to, make_tensor<int64_t>(DType::int64,
                                         {static_cast<int64_t>(rank)}, shape));
    m().node("Reshape", {from.name, to}, {name}, node_name());
    values_.push_back({name, shape});
    return values_.back();
  }

  void done(const std::string& name, const Shape& shape,
            const std::string& what) {
    values_.push_back({name, shape});
    tell(fmt::format("{} {} = {}", name, shape_text(shape), what));
  }

  void step() {
    switch (below(13)) {
      case 0:
      case 1:
        return matmul();
      case 2:
        return matmul_left();
      case 3:
      case 4:
        return gemm();
      case 5:
        return conv();
      case 6:
        return conv_transpose();
      case 7:
        return gather();
      case 8:
        return recurrent();
      case 9:
        return branch();
      case 10:
        return arithmetic();
      case 11:
        return tied();
      default:
        return shaping();
    }
  }

  void matmul() {
    const Value x = value(chance(70) ? 2 : 3);
    const int64_t k = x.shape.back(), n = size();
    Shape w = {k, n}, y = x.shape;
    y.back() = n;
    if (x.shape.size() == 3 && chance(30)) {
      w = {x.shape[0], k, n};
    } else if (chance(8)) {
      w = {k};
      y.pop_back();
    }
    const std::string name = fresh("v");
    m().node("MatMul", {x.name, weight(w)}, {name}, node_name());
    done(name, y, fmt::format("MatMul({}, W{})", x.name, shape_text(w)));
  }

  void matmul_left() {
    const Value x = value(2);
    const int64_t rows = size();
    const std::string name = fresh("v");
    m().node("MatMul", {weight({rows, x.shape[0]}), x.name}, {name},
             node_name());
    done(name, {rows, x.shape[1]}, fmt::format("MatMul(W, {})", x.name));
  }

  void gemm() {
    const Value x = value(2);
    const bool ta = chance(30), tb = chance(50);
    const int64_t rows = x.shape[ta ? 1 : 0], k = x.shape[ta ? 0 : 1];
    const int64_t n = size();
    std::vector<std::string> inputs = {x.name,
                                       weight(tb ? Shape{n, k} : Shape{k, n})};
    const size_t bias = below(opset_ >= 11 ? 6 : 5);
    const Shape shapes[] = {{n}, {1}, {1, n}, {rows, n}, {rows, 1}};
    if (bias < 5) inputs.push_back(weight(shapes[bias], false));
    const std::string name = fresh("v");
    auto& g = m().node("Gemm", inputs, {name}, node_name());
    if (ta) set_int(g, "transA", 1);
    if (tb) set_int(g, "transB", 1);
    if (chance(30)) set_float(g, "alpha", 0.5f);
    if (chance(30)) set_float(g, "beta", chance(50) ? 2.0f : 0.0f);
    done(name, {rows, n},
         fmt::format("Gemm({}, transA {}, transB {}, bias {})", x.name, ta, tb,
                     bias));
  }

  void conv() {
    Value x = value(4);
    const int64_t channels = x.shape[1];
    const int64_t group = chance(30) ? channels : 1;
    const int64_t out = group * (1 + static_cast<int64_t>(below(3)));
    const int64_t k = 1 + 2 * static_cast<int64_t>(below(2));
    std::vector<std::string> inputs = {x.name,
                                       weight({out, channels / group, k, k})};
    if (chance(60)) inputs.push_back(weight({out}, false));
    const std::string name = fresh("v");
    auto& c = m().node("Conv", inputs, {name}, node_name());
    set_ints(c, "kernel_shape", {k, k});
    set_ints(c, "pads", {k / 2, k / 2, k / 2, k / 2});
    if (group != 1) set_int(c, "group", group);
    done(name, {x.shape[0], out, x.shape[2], x.shape[3]},
         fmt::format("Conv({}, {} x {}, group {})", x.name, k, k, group));
  }

  void conv_transpose() {
    Value x = value(4);
    const int64_t out = size();
    const std::string name = fresh("v");
    auto& c =
        m().node("ConvTranspose", {x.name, weight({x.shape[1], out, 2, 2})},
                 {name}, node_name());
    set_ints(c, "kernel_shape", {2, 2});
    set_ints(c, "strides", {2, 2});
    done(name, {x.shape[0], out, 2 * x.shape[2], 2 * x.shape[3]},
         "ConvTranspose");
  }

  void gather() {
    const Shape table = {size() + 2, size() + 4};
    const int64_t axis = static_cast<int64_t>(below(2));
    const int64_t rows = table[static_cast<size_t>(axis)];
    Shape ids = chance(50) ? Shape{3} : Shape{2, 2};
    const std::string name = fresh("ids"), y = fresh("v");
    m().input(name, DType::int64, ids);
    Tensor t = make_tensor(DType::int64, ids);
    for (int64_t& i : t.as<int64_t>())
      i = static_cast<int64_t>(below(static_cast<size_t>(rows))) -
          (opset_ >= 11 && chance(30) ? rows : 0);
    graph_.feed.inputs.push_back({name, t});
    auto& g = m().node("Gather", {weight(table), name}, {y}, node_name());
    if (axis != 0 || chance(50)) set_int(g, "axis", axis);
    Shape out;
    if (axis == 1) out.push_back(table[0]);
    out.insert(out.end(), ids.begin(), ids.end());
    if (axis == 0) out.push_back(table[1]);
    done(y, out, fmt::format("Gather(E{}, axis {})", shape_text(table), axis));
  }

  // An embedding that is the head, too.
  void tied() {
    const Value x = value(2);
    const int64_t width = x.shape[1], rows = size() + 3;
    const std::string e = weight({rows, width}), ids = fresh("ids");
    m().input(ids, DType::int64, {2});
    graph_.feed.inputs.push_back(
        {ids, make_tensor<int64_t>(DType::int64, {2}, {1, 0})});
    const std::string y = fresh("v"), turned = fresh("T"), z = fresh("v");
    m().node("Gather", {e, ids}, {y}, node_name());
    m().node("Transpose", {e}, {turned}, node_name());
    m().node("MatMul", {x.name, turned}, {z}, node_name());
    done(y, {2, width}, "Gather of a tied table");
    done(z, {x.shape[0], rows}, "MatMul with the same table, turned over");
  }

  void recurrent() {
    if (type_ != DType::float32) return shaping();
    const Value x = value(3);
    const char* ops[] = {"LSTM", "LSTM", "GRU", "RNN"};
    const std::string op = ops[below(4)];
    const int64_t gates = op == "LSTM" ? 4 : op == "GRU" ? 3 : 1;
    const int64_t hidden = size(), directions = chance(40) ? 2 : 1;
    std::vector<std::string> inputs = {
        x.name, weight({directions, gates * hidden, x.shape[2]}),
        weight({directions, gates * hidden, hidden})};
    if (chance(60))
      inputs.push_back(weight({directions, 2 * gates * hidden}, false));
    const std::string y = fresh("v");
    auto& n = m().node(op, inputs, {y}, node_name());
    set_int(n, "hidden_size", hidden);
    if (directions == 2) set_string(n, "direction", "bidirectional");
    done(y, {x.shape[0], directions, x.shape[1], hidden}, op);
  }

  // If, with a product and a function of one value in each branch.
  void branch() {
    const Value x = value(2);
    const int64_t n = size();
    const std::string w = weight({x.shape[1], n});
    const std::string c = fresh("c"), y = fresh("v");
    m().input(c, DType::boolean, {});
    Tensor t = make_tensor(DType::boolean, {});
    t.as<uint8_t>()[0] = chance(50);
    graph_.feed.inputs.push_back({c, t});
    auto& node = m().node("If", {c}, {y}, node_name());
    for (const char* side : {"then_branch", "else_branch"}) {
      TinyGraph body = add_graph(node, side);
      std::string inner = w;
      if (chance(30)) {  // a weight of its own
        inner = fresh("B");
        const Tensor own = tensor(type_, {x.shape[1], n},
                                  numbers(static_cast<size_t>(x.shape[1] * n),
                                          static_cast<size_t>(n)));
        // Until IR 3 a body has no initializers.
        if (ir_ >= 4 && chance(50)) {
          store(*body.proto().add_initializer(), inner, own);
        } else {
          auto& a = attribute(body.node("Constant", {}, {inner}), "value");
          a.set_type(onnx::AttributeProto::TENSOR);
          store(*a.mutable_t(), "", own);
        }
      }
      const std::string p = fresh("b"), q = fresh("b");
      body.node("MatMul", {x.name, inner}, {p}, node_name());
      body.node(chance(50) ? "Relu" : "Neg", {p}, {q});
      body.output(q, type_, {x.shape[0], n});
    }
    done(y, {x.shape[0], n}, "If");
  }

  // Operators that read weights as float, or two values.
  void arithmetic() {
    const Value x = values_[below(values_.size())];
    const std::string name = fresh("v");
    const char* ops[] = {"Add", "Mul", "Sub"};
    const char* op = ops[below(3)];
    // Often a weight that has been used elsewhere.
    std::string other;
    for (const Weight& w : weights_)
      if (w.shape == x.shape) other = w.name;
    if (other.empty()) other = chance(50) ? x.name : weight({x.shape.back()});
    m().node(op, {x.name, other}, {name}, node_name());
    done(name, x.shape, fmt::format("{}({}, {})", op, x.name, other));
  }

  void shaping() {
    const Value x = values_[below(values_.size())];
    const std::string name = fresh("v");
    switch (below(4)) {
      case 0: {
        Shape turned = x.shape;
        std::reverse(turned.begin(), turned.end());
        m().node("Transpose", {x.name}, {name}, node_name());
        return done(name, turned, fmt::format("Transpose({})", x.name));
      }
      case 1:
        m().node("Relu", {x.name}, {name}, node_name());
        return done(name, x.shape, fmt::format("Relu({})", x.name));
      case 2:
        m().node("Identity", {x.name}, {name}, node_name());
        return done(name, x.shape, fmt::format("Identity({})", x.name));
      default: {
        auto& c = m().node("Concat", {x.name, x.name}, {name}, node_name());
        set_int(c, "axis", 0);
        Shape twice = x.shape;
        twice[0] *= 2;
        return done(name, twice, fmt::format("Concat({})", x.name));
      }
    }
  }

  Random random_;
  RandomGraph graph_;
  DType type_ = DType::float32;
  int64_t opset_ = 17, ir_ = 8;
  int count_ = 0;
  std::vector<Value> values_;
  std::vector<Weight> weights_;
};

}  // namespace

RandomGraph random_graph(uint64_t seed, int steps, int64_t newest) {
  return Maker(seed, newest).make(steps);
}

}  // namespace octavo::testing
