#include "octavo/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "graph/inline.h"
#include "graph/quantized.h"
#include "octavo/error.h"
#include "quant/rules.h"

namespace octavo {
namespace {

constexpr int kMaxWalk = 12;  // nodes between a value and the product behind it

std::string op_name(const onnx::NodeProto& node) {
  const std::string_view domain = domain_of(node);
  return domain.empty() ? node.op_type()
                        : fmt::format("{}::{}", domain, node.op_type());
}

std::string shape_words(const onnx::TensorShapeProto& shape) {
  std::string out;
  for (const auto& d : shape.dim()) {
    if (!out.empty()) out += ',';
    out += d.has_dim_value() ? fmt::format("{}", d.dim_value())
           : d.has_dim_param() && !d.dim_param().empty() ? d.dim_param()
                                                         : "?";
  }
  return out;
}

std::string type_words(const onnx::TypeProto& type, int depth = 8) {
  if (depth == 0) return "...";
  const auto element = [](int32_t t) {
    return std::string(dtype_name(static_cast<DType>(t)));
  };
  if (type.has_tensor_type() || type.has_sparse_tensor_type()) {
    const bool sparse = type.has_sparse_tensor_type();
    const bool shaped = sparse ? type.sparse_tensor_type().has_shape()
                               : type.tensor_type().has_shape();
    const auto& shape =
        sparse ? type.sparse_tensor_type().shape() : type.tensor_type().shape();
    return fmt::format(
        "{}{}{}", sparse ? "sparse " : "",
        element(sparse ? type.sparse_tensor_type().elem_type()
                       : type.tensor_type().elem_type()),
        shaped ? fmt::format("[{}]", shape_words(shape)) : " of any shape");
  }
  if (type.has_sequence_type())
    return "sequence of " +
           type_words(type.sequence_type().elem_type(), depth - 1);
  if (type.has_optional_type())
    return "optional " +
           type_words(type.optional_type().elem_type(), depth - 1);
  if (type.has_map_type())
    return fmt::format("map from {} to {}", element(type.map_type().key_type()),
                       type_words(type.map_type().value_type(), depth - 1));
  return "of unknown type";
}

template <typename Ports>
std::vector<std::string> port_words(const Ports& ports) {
  std::vector<std::string> out;
  for (const auto& p : ports)
    out.push_back(fmt::format("{}: {}", p.name(), type_words(p.type())));
  return out;
}

// What uses a value, through operators that only pass it on.
std::string user_of(const GraphIndex& index, const Definition& value) {
  const Definition* d = &value;
  for (int i = 0; i < kMaxWalk; ++i) {
    if (d->uses.empty()) return "";
    const auto& use = d->uses.front();
    if (use.node < 0) return "(output)";
    const auto& node = use.scope->node(use.node);
    const bool passes = is_op(node, "Identity") || is_op(node, "Cast") ||
                        is_op(node, "Transpose") || is_op(node, "Reshape") ||
                        is_op(node, "Squeeze") || is_op(node, "Unsqueeze") ||
                        is_op(node, "DequantizeLinear");
    if (!passes || node.output_size() == 0) return op_name(node);
    const Definition* next = index.find(use.scope, node.output(0));
    if (!next || next->uses.empty()) return op_name(node);
    d = next;
  }
  return "";
}

void count_tensors(const GraphIndex& index, Inspection& out) {
  for (const auto& scope : index.scopes()) {
    // In the order of the graph, which a map of names has not.
    std::vector<const Definition*> stored;
    for (const auto& [name, d] : scope->values)
      if (index.tensor(d)) stored.push_back(&d);
    std::sort(stored.begin(), stored.end(),
              [](const Definition* a, const Definition* b) {
                return std::pair(a->kind, a->index) <
                       std::pair(b->kind, b->index);
              });
    for (const Definition* d : stored) {
      const auto& t = *index.tensor(*d);
      StoredTensor s;
      s.name = std::string(d->name);
      s.scope = scope->path;
      s.type = static_cast<DType>(t.data_type());
      s.shape = shape_of(t);
      s.bytes = static_cast<int64_t>(payload_size(t));
      s.user = user_of(index, *d);
      out.weight_bytes += s.bytes;
      auto& type = out.by_type[std::string(dtype_name(s.type))];
      ++type.tensors;
      type.bytes += s.bytes;
      auto& user = out.by_operator[s.user.empty() ? "(unused)" : s.user];
      ++user.tensors;
      user.bytes += s.bytes;
      out.tensors.push_back(std::move(s));
    }
  }
  std::stable_sort(out.tensors.begin(), out.tensors.end(),
                   [](const StoredTensor& a, const StoredTensor& b) {
                     return a.bytes > b.bytes;
                   });
}

void count_nodes(const GraphIndex& index, Inspection& out) {
  for (const auto& scope : index.scopes()) {
    ++out.graphs;
    for (const auto& node : scope->graph->node()) {
      ++out.nodes;
      ++out.operators[op_name(node)];
      if (const auto form = quantized_form(index, *scope, node); !form.empty())
        ++out.quantized[std::string(form)];
    }
  }
}

void add_hazards(const GraphIndex& index, Inspection& out) {
  const auto& model = index.model().proto;
  const auto say = [&](std::string sentence) {
    out.hazards.push_back(std::move(sentence));
  };
  if (index.opset() == 0)
    say("It imports no version of ONNX's own operators.");
  else if (index.opset() < 11)
    say(
        fmt::format("Opset {} has no DynamicQuantizeLinear, which integer "
                    "products need; it came with 11.",
                    index.opset()));
  const Functions functions(model);
  for (const auto& f : model.functions()) {
    int candidates = 0;
    for (const auto& node : f.node()) candidates += find_rule(node) != nullptr;
    const std::string obstacle = functions.obstacle(f);
    if (candidates > 0 && !obstacle.empty())
      say(fmt::format(
          "{} of its nodes that could be quantized stand in {}::{}, "
          "{}, which cannot be inlined.",
          candidates, f.domain(), f.name(), obstacle));
  }
  std::set<std::string> defined;
  for (const auto& f : model.functions()) defined.insert(f.domain());
  std::set<std::string> foreign;
  for (const auto& scope : index.scopes())
    for (const auto& node : scope->graph->node()) {
      const std::string domain(domain_of(node));
      if (domain.empty() || domain.starts_with("com.microsoft") ||
          domain == "ai.onnx.ml" || defined.contains(domain))
        continue;
      foreign.insert(op_name(node));
    }
  if (!foreign.empty())
    say(fmt::format("ONNX Runtime needs a library for {}: --custom-ops.",
                    fmt::join(foreign, ", ")));
  int64_t overridable = 0;
  for (const auto& scope : index.scopes())
    for (const auto& [name, d] : scope->values)
      overridable += d.kind == Definition::Kind::overridable;
  if (overridable > 0)
    say(
        fmt::format("{} of its weights {} also inputs, which a caller may "
                    "replace; such weights stay float.",
                    overridable, overridable == 1 ? "is" : "are"));
  for (const DType type : {DType::bfloat16, DType::float64}) {
    const auto it = out.by_type.find(std::string(dtype_name(type)));
    if (it == out.by_type.end()) continue;
    say(
        fmt::format("{} of its tensors are {}, for which there are no integer "
                    "products.",
                    it->second.tensors, it->first));
  }
}

// The quantized form, or the operator, that makes a value.
std::string maker_words(const GraphIndex& index, const Scope* scope,
                        std::string_view name, const std::string& before,
                        bool& quantized) {
  std::string first;
  for (int i = 0; i < kMaxWalk; ++i) {
    const Definition* d = index.find(scope, name);
    if (!d) return first.empty() ? "gone" : first;
    if (d->kind != Definition::Kind::node)
      return first.empty() ? "a constant or an input" : first;
    scope = d->scope;
    const auto& node = scope->node(d->index);
    if (first.empty()) first = op_name(node);
    const auto form = quantized_form(index, *scope, node);
    if (!form.empty() && form != "QuantizeLinear") {
      quantized = true;
      return std::string(form);
    }
    if (op_name(node) == before) {
      // The same operator: are its weights stored in integers?
      for (const auto& input : node.input())
        if (is_dequantized_constant(index, scope, input)) {
          quantized = true;
          return before + " of int8 storage";
        }
      return before;
    }
    const bool tail = is_op(node, "Add") || is_op(node, "Mul") ||
                      is_op(node, "Cast") || is_op(node, "Transpose") ||
                      is_op(node, "DequantizeLinear") ||
                      is_op(node, "QuantizeLinear");
    if (!tail) return first;
    // Of several inputs, the one that is computed; the first of these.
    std::string_view next;
    for (const auto& input : node.input()) {
      const Definition* in = index.find(scope, input);
      if (in && in->kind == Definition::Kind::node) {
        next = input;
        break;
      }
    }
    if (next.empty()) return first;
    name = next;
  }
  return first;
}

}  // namespace

Inspection inspect(const Model& model) {
  auto& data = const_cast<ModelData&>(model.data());  // the index only reads
  const GraphIndex index(data);
  Inspection out;
  out.ir_version = data.proto.ir_version();
  out.producer = data.proto.producer_name();
  if (!data.proto.producer_version().empty())
    out.producer += " " + data.proto.producer_version();
  for (const auto& o : data.proto.opset_import()) {
    const bool own = o.domain().empty() || o.domain() == "ai.onnx";
    const auto at = own ? out.opsets.begin() : out.opsets.end();
    out.opsets.insert(at, {own ? "ai.onnx" : o.domain(), o.version()});
  }
  for (const auto& m : data.proto.metadata_props())
    out.metadata[m.key()] = m.value();
  out.inputs = port_words(data.proto.graph().input());
  out.outputs = port_words(data.proto.graph().output());
  out.functions = data.proto.functions_size();
  out.file_bytes = static_cast<int64_t>(model.bytes());
  out.external_bytes = static_cast<int64_t>(data.external_bytes);
  count_nodes(index, out);
  count_tensors(index, out);
  add_hazards(index, out);
  return out;
}

std::vector<Change> changes(const Model& given, const Model& after) {
  auto own = std::make_unique<ModelData>();
  own->proto = given.data().proto;
  own->blobs = given.data().blobs;
  Model before(std::move(own));
  inline_like(before, after);
  auto& old_data = before.data();
  auto& new_data = const_cast<ModelData&>(after.data());
  const GraphIndex old_index(old_data), new_index(new_data);
  std::map<std::string, const Scope*> scopes;  // of `after`, by path
  for (const auto& s : new_index.scopes()) scopes.emplace(s->path, s.get());
  std::vector<Change> out;
  for (const auto& scope : old_index.scopes()) {
    const auto same = scopes.find(scope->path);
    for (const auto& node : scope->graph->node()) {
      if (!find_rule(node)) continue;
      if (is_op(node, "Gather") &&
          !resolve_constant(old_index, scope.get(), input_name(node, 0)))
        continue;
      const auto output =
          std::find_if(node.output().begin(), node.output().end(),
                       [](const std::string& o) { return !o.empty(); });
      if (output == node.output().end()) continue;
      Change c;
      c.node = node.name();
      c.scope = scope->path;
      c.before = op_name(node);
      c.after = same == scopes.end()
                    ? "gone"
                    : maker_words(new_index, same->second, *output, c.before,
                                  c.quantized);
      c.value = *output;
      out.push_back(std::move(c));
    }
  }
  return out;
}

}  // namespace octavo
