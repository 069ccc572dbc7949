#include "graph/inline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "graph/edit.h"

namespace octavo {
namespace {

// Functions that call functions can grow without bounds; a model that would
// take more memory than this is left as it is.
constexpr uint64_t kMaxCost = 64u << 20;
constexpr uint64_t kNodeCost = 64;  // beside its bytes in the file
constexpr int kMaxDepth = 64;       // calls within calls

std::string key_of(std::string_view domain, const std::string& name,
                   const std::string& overload) {
  return fmt::format("{}\n{}\n{}", domain == "ai.onnx" ? "" : domain, name,
                     overload);
}

std::string key_of(const onnx::FunctionProto& f) {
  return key_of(f.domain(), f.name(), f.overload());
}

std::string title(const onnx::FunctionProto& f) {
  return fmt::format("{}::{}", f.domain(), f.name());
}

bool is_default(std::string_view domain) {
  return domain.empty() || domain == "ai.onnx";
}

// The version of a domain that is imported; 0: none.
template <typename Imports>
int64_t imported(const Imports& imports, std::string_view domain) {
  for (const auto& o : imports)
    if (o.domain() == domain || (is_default(o.domain()) && is_default(domain)))
      return o.version();
  return 0;
}

// Calls visit(node) for the nodes of a body and of the bodies in it.
template <typename Nodes, typename Visit>
void for_each_node(const Nodes& nodes, const Visit& visit) {
  for (const auto& node : nodes) {
    visit(node);
    for (const auto& a : node.attribute()) {
      if (a.has_g()) for_each_node(a.g().node(), visit);
      for (const auto& g : a.graphs()) for_each_node(g.node(), visit);
    }
  }
}

uint64_t add(uint64_t a, uint64_t b) { return std::min(a + b, kMaxCost + 1); }

bool takes_graph(const onnx::NodeProto& call) {
  for (const auto& a : call.attribute())
    if (a.has_g() || a.graphs_size() > 0) return true;
  return false;
}

// One call's body, renamed.
class Body {
 public:
  Body(GraphEdit& edit, const Scope& root, const onnx::FunctionProto& f,
       const onnx::NodeProto& call, std::map<const void*, std::string>& tensors)
      : edit_(edit), root_(root), f_(f), call_(call), tensors_(tensors) {
    prefix_ = !call.name().empty()      ? call.name()
              : call.output_size() == 0 ? call.op_type()
              : call.output(0).empty()  ? call.op_type()
                                        : call.output(0);
    prefix_ += '/';
  }

  // The nodes, or nothing where the call does not fit the function.
  std::optional<NodeList> nodes() {
    if (call_.input_size() > f_.input_size() ||
        call_.output_size() > f_.output_size())
      return {};
    std::unordered_set<std::string_view> made;
    for (const auto& name : f_.input())
      if (!made.insert(name).second) return {};
    for (const auto& node : f_.node())
      for (const auto& name : node.output())
        if (!name.empty() && !made.insert(name).second) return {};

    scopes_.emplace_back();
    for (int i = 0; i < f_.input_size(); ++i)
      scopes_[0][f_.input(i)] = input_name(call_, i);
    NodeList copies;
    for (int i = 0; i < f_.output_size() && i < call_.output_size(); ++i) {
      const std::string& actual = call_.output(i);
      if (actual.empty()) continue;
      const auto [at, fresh] = scopes_[0].emplace(f_.output(i), actual);
      if (fresh) continue;
      // An output that is an input, too, or that is given twice.
      if (at->second.empty()) return {};
      *copies.Add() = identity(at->second, actual);
    }
    NodeList out;
    for (const auto& node : f_.node())
      if (!hoisted(node)) *out.Add() = renamed(node);
    for (auto& copy : copies) *out.Add() = std::move(copy);
    if (!sound_) return {};
    return out;
  }

 private:
  onnx::NodeProto identity(const std::string& from, const std::string& to) {
    onnx::NodeProto n;
    n.set_op_type("Identity");
    n.set_name(edit_.unique_name(prefix_ + "Identity"));
    n.add_input(from);
    n.add_output(to);
    return n;
  }

  // A Constant becomes an initializer, which all calls share; unless it is
  // what the call gives.
  bool hoisted(const onnx::NodeProto& node) {
    if (!is_op(node, "Constant") || node.output_size() != 1) return false;
    const auto* value = find_attribute(node, "value");
    if (!value || !value->has_t() || !value->ref_attr_name().empty())
      return false;
    if (scopes_[0].contains(node.output(0))) return false;
    std::string& name = tensors_[&node];
    if (name.empty()) {
      name = edit_.unique_name(f_.name() + "/" + node.output(0));
      onnx::TensorProto t = value->t();
      t.set_name(name);
      edit_.add_initializer(root_, std::move(t));
    }
    scopes_[0][node.output(0)] = name;
    return true;
  }

  std::string fresh(const std::string& name) {
    return edit_.unique_name(prefix_ + name);
  }

  // What a name of the body is called from now on.
  const std::string& seen(const std::string& name) {
    if (name.empty()) return name;
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto it = scope->find(name);
      if (it != scope->end()) return it->second;
    }
    return scopes_[0][name] = fresh(name);
  }

  bool define(const std::string& name) {
    if (name.empty()) return true;
    if (scopes_.back().contains(name)) return false;
    scopes_.back()[name] = fresh(name);
    return true;
  }

  onnx::NodeProto renamed(const onnx::NodeProto& node) {
    onnx::NodeProto out = node;
    out.set_name(fresh(node.name().empty() ? node.op_type() : node.name()));
    rename(out);
    return out;
  }

  void rename(onnx::NodeProto& node) {
    for (auto& name : *node.mutable_input()) name = std::string(seen(name));
    for (auto& a : *node.mutable_attribute()) {
      if (a.has_g()) rename(*a.mutable_g());
      for (auto& g : *a.mutable_graphs()) rename(g);
    }
    for (auto& name : *node.mutable_output()) name = std::string(seen(name));
    resolve_attributes(node);
  }

  void rename(onnx::GraphProto& graph) {
    scopes_.emplace_back();
    for (const auto& v : graph.input()) define(v.name());
    for (const auto& t : graph.initializer()) define(t.name());
    for (const auto& t : graph.sparse_initializer()) define(t.values().name());
    for (const auto& n : graph.node())
      for (const auto& name : n.output()) sound_ &= define(name);
    const auto set = [&](auto& named) {
      named.set_name(std::string(seen(named.name())));
    };
    for (auto& v : *graph.mutable_input()) set(v);
    for (auto& t : *graph.mutable_initializer()) set(t);
    for (auto& t : *graph.mutable_sparse_initializer())
      set(*t.mutable_values());
    for (auto& n : *graph.mutable_node()) {
      n.set_name(fresh(n.name().empty() ? n.op_type() : n.name()));
      rename(n);
    }
    for (auto& v : *graph.mutable_output()) set(v);
    for (auto& v : *graph.mutable_value_info()) set(v);
    graph.clear_quantization_annotation();
    scopes_.pop_back();
  }

  // `b = ref to a` becomes `b = what the call says of a`, or its default, or
  // nothing.
  void resolve_attributes(onnx::NodeProto& node) {
    auto& attributes = *node.mutable_attribute();
    for (int i = attributes.size() - 1; i >= 0; --i) {
      const std::string wanted = attributes.Get(i).ref_attr_name();
      if (wanted.empty()) continue;
      const onnx::AttributeProto* value = find_attribute(call_, wanted);
      for (const auto& a : f_.attribute_proto())
        if (!value && a.name() == wanted) value = &a;
      if (!value) {
        attributes.DeleteSubrange(i, 1);
        continue;
      }
      const std::string name = attributes.Get(i).name();
      attributes[i] = *value;
      attributes[i].set_name(name);
    }
  }

  GraphEdit& edit_;
  const Scope& root_;
  const onnx::FunctionProto& f_;
  const onnx::NodeProto& call_;
  std::map<const void*, std::string>& tensors_;
  std::string prefix_;
  bool sound_ = true;  // no node of a body gives a value that is there already
  std::vector<std::unordered_map<std::string, std::string>> scopes_;
};

// Removes the functions of `inlined` that nothing calls any more.
void remove_uncalled(onnx::ModelProto& model,
                     const std::set<const onnx::FunctionProto*>& inlined) {
  const Functions functions(model);
  std::unordered_set<const onnx::FunctionProto*> called;
  std::vector<const onnx::FunctionProto*> open;
  const auto call = [&](const onnx::NodeProto& node) {
    const auto* f = functions.called_by(node);
    if (f && called.insert(f).second) open.push_back(f);
  };
  for_each_node(model.graph().node(), call);
  // What nobody had called before stays, and so does what that calls.
  for (const auto& f : model.functions())
    if (!inlined.contains(&f) && called.insert(&f).second) open.push_back(&f);
  while (!open.empty()) {
    const auto* f = open.back();
    open.pop_back();
    for_each_node(f->node(), call);
  }
  std::set<int> gone;
  for (int i = 0; i < model.functions_size(); ++i)
    if (!called.contains(&model.functions(i))) gone.insert(i);
  for (auto i = gone.rbegin(); i != gone.rend(); ++i)
    model.mutable_functions()->DeleteSubrange(*i, 1);
}

}  // namespace

Functions::Functions(const onnx::ModelProto& model) : model_(model) {
  for (const auto& f : model.functions()) {
    const auto [at, fresh] = by_key_.emplace(key_of(f), &f);
    if (!fresh) facts_[&f].twice = facts_[at->second].twice = true;
  }
  for (const auto& f : model.functions()) explore(f, 0);
  for_each_node(model.graph().node(), [&](const onnx::NodeProto& node) {
    if (const auto* f = called_by(node)) cost_ = add(cost_, facts_[f].cost);
  });
}

// Fills in facts from the callees up. In a circle the first one that is seen
// through the others does: it reaches itself, and so do they.
void Functions::explore(const onnx::FunctionProto& f, int depth) {
  Facts& known = facts_[&f];
  if (known.cost > 0) return;
  known.cost =
      depth > kMaxDepth ? kMaxCost + 1 : add(kNodeCost, f.ByteSizeLong());
  uint64_t cost = known.cost;
  if (cost > kMaxCost) return;
  std::unordered_set<const onnx::FunctionProto*> reaches;
  for_each_node(f.node(), [&](const onnx::NodeProto& node) {
    cost = add(cost, kNodeCost);
    const auto* callee = called_by(node);
    if (!callee) return;
    reaches.insert(callee);
    if (cost > kMaxCost) return;
    explore(*callee, depth + 1);
    const Facts& facts = facts_[callee];
    reaches.insert(facts.reaches.begin(), facts.reaches.end());
    cost = add(cost, facts.cost);
  });
  facts_[&f].reaches = std::move(reaches);
  facts_[&f].cost = cost;
}

const onnx::FunctionProto* Functions::called_by(
    const onnx::NodeProto& node) const {
  if (by_key_.empty()) return nullptr;
  const auto it =
      by_key_.find(key_of(node.domain(), node.op_type(), node.overload()));
  return it == by_key_.end() ? nullptr : it->second;
}

std::string Functions::obstacle(const onnx::FunctionProto& f) const {
  const Facts& facts = facts_.at(&f);
  if (is_default(f.domain()))
    return "a function of the model that takes the place of an operator";
  if (facts.twice) return "a function that the model defines twice";
  if (facts.reaches.contains(&f)) return "a function that calls itself";
  if (facts.cost > kMaxCost || cost_ > kMaxCost)
    return "functions whose calls would unfold to too large a model";
  for (const auto& o : f.opset_import()) {
    const int64_t models = imported(model_.opset_import(), o.domain());
    if (models != 0 && models != o.version())
      return fmt::format(
          "a function with version {} of {} operators, and the model has "
          "version {}",
          o.version(),
          is_default(o.domain()) ? "ONNX's own" : o.domain() + "'s", models);
  }
  return "";
}

bool Functions::holds(
    const onnx::FunctionProto& f,
    const std::function<bool(const onnx::NodeProto&)>& is) const {
  const auto own = [&](const onnx::FunctionProto& g) {
    bool found = false;
    for_each_node(g.node(), [&](const auto& node) { found |= is(node); });
    return found;
  };
  if (own(f)) return true;
  for (const auto* g : facts_.at(&f).reaches)
    if (own(*g)) return true;
  return false;
}

Inlined inline_calls(
    ModelData& model,
    const std::function<bool(const onnx::FunctionProto&)>& wanted,
    const std::function<bool(size_t, const onnx::NodeProto&)>& wanted_call) {
  Inlined out;
  std::map<const void*, std::string> tensors;
  std::set<const onnx::FunctionProto*> inlined;
  // One level of calls a round.
  for (int round = 0; round < kMaxDepth; ++round) {
    const Functions functions(model.proto);
    GraphIndex index(model);
    GraphEdit edit(index);
    size_t call = 0;
    bool found = false;
    for (const auto& scope : index.scopes()) {
      for (int i = 0; i < scope->graph->node_size(); ++i) {
        const auto& node = scope->node(i);
        const auto* f = functions.called_by(node);
        if (!f) continue;
        const auto from = out.origin.find(node.name());
        size_t id = call++;
        if (round > 0) {
          if (from == out.origin.end()) continue;
          id = from->second;
        } else if (!wanted_call(id, node)) {
          continue;
        }
        if (!functions.obstacle(*f).empty() || !wanted(*f) || takes_graph(node))
          continue;
        auto nodes = Body(edit, *index.scopes()[0], *f, node, tensors).nodes();
        if (!nodes) continue;
        for_each_node(*nodes,
                      [&](const auto& n) { out.origin[n.name()] = id; });
        for (const auto& o : f->opset_import())
          if (!is_default(o.domain()) ||
              imported(model.proto.opset_import(), o.domain()) == 0)
            edit.import_domain(o.domain(), o.version());
        edit.replace(*scope, i) = std::move(*nodes);
        inlined.insert(f);
        if (round == 0) {
          ++out.calls;
          out.functions.insert(title(*f));
        }
        found = true;
      }
    }
    if (!found) break;
    edit.apply();
  }
  remove_uncalled(model.proto, inlined);
  return out;
}

}  // namespace octavo
