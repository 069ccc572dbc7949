#include "bench/pairing.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>

#include "model/data.h"

namespace octavo {
namespace {

using Names = std::vector<std::string>;

// What a node reads, within its bodies too.
void add_reads(const onnx::NodeProto& node, Names& out) {
  for (const auto& name : node.input())
    if (!name.empty()) out.push_back(name);
  for (const auto& a : node.attribute()) {
    if (a.has_g())
      for (const auto& inner : a.g().node()) add_reads(inner, out);
    for (const auto& g : a.graphs())
      for (const auto& inner : g.node()) add_reads(inner, out);
  }
}

// Nodes, what each makes, and who uses it, by number.
struct Graph {
  explicit Graph(const onnx::GraphProto& proto) {
    for (const auto& node : proto.node()) {
      Names made(node.output().begin(), node.output().end());
      outputs.push_back(std::move(made));
      names.push_back(node.name());
    }
    users.resize(outputs.size());
    std::unordered_map<std::string, int> makers;
    for (int i = 0; i < proto.node_size(); ++i)
      for (const auto& name : proto.node(i).output())
        if (!name.empty()) makers[name] = i;
    for (int i = 0; i < proto.node_size(); ++i) {
      Names reads;
      add_reads(proto.node(i), reads);
      for (const std::string& name : reads)
        if (const auto maker = makers.find(name);
            maker != makers.end() && maker->second != i)
          users[static_cast<size_t>(maker->second)].push_back(i);
    }
  }

  std::vector<std::string> names;
  std::vector<Names> outputs;
  std::vector<std::vector<int>> users;
};

// The runtime turns "Conv" into a node "VALUE_nchwc" whose output has another
// name, VALUE being what the Conv made.
constexpr std::string_view kBlocked = "_nchwc";

// For each node of a running graph the original's nodes whose values it makes
// or its users make.
class Ends {
 public:
  Ends(const Graph& graph, const std::unordered_map<std::string, int>& makers)
      : graph_(graph), makers_(makers), known_(graph.names.size()) {}

  const std::set<int>& of(int node) {
    auto& [done, ends] = known_[static_cast<size_t>(node)];
    if (done) return ends;
    done = true;
    const size_t i = static_cast<size_t>(node);
    for (const std::string& name : graph_.outputs[i])
      if (const auto m = makers_.find(name); m != makers_.end()) {
        ends.insert(m->second);
        return ends;
      }
    if (std::string name = graph_.names[i]; name.ends_with(kBlocked)) {
      name.resize(name.size() - kBlocked.size());
      if (const auto m = makers_.find(name); m != makers_.end()) {
        ends.insert(m->second);
        return ends;
      }
    }
    std::set<int> found;
    for (const int user : graph_.users[i]) {
      const std::set<int>& more = of(user);
      found.insert(more.begin(), more.end());
    }
    return known_[i].second = std::move(found);
  }

 private:
  const Graph& graph_;
  const std::unordered_map<std::string, int>& makers_;
  std::vector<std::pair<bool, std::set<int>>> known_;
};

class Groups {
 public:
  explicit Groups(size_t nodes) : parent_(nodes) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int find(int i) {
    int& p = parent_[static_cast<size_t>(i)];
    while (p != parent_[static_cast<size_t>(p)])
      p = parent_[static_cast<size_t>(p)];
    return p;
  }
  void join(int a, int b) { parent_[static_cast<size_t>(find(a))] = find(b); }

 private:
  std::vector<int> parent_;
};

// The nearest node behind `node` that has a kernel; itself where there is none.
int kernel_behind(const Graph& original, const std::set<int>& with_kernel,
                  int node) {
  std::vector<int> front = {node};
  std::set<int> seen = {node};
  while (!front.empty()) {
    std::vector<int> next;
    for (const int i : front) {
      if (with_kernel.contains(i)) return i;
      for (const int user : original.users[static_cast<size_t>(i)])
        if (seen.insert(user).second) next.push_back(user);
    }
    front = std::move(next);
  }
  return node;
}

}  // namespace

KernelPairing pair_kernels(const Model& original,
                           const std::vector<const Model*>& running) {
  const onnx::GraphProto& proto = original.data().proto.graph();
  const Graph graph(proto);
  std::unordered_map<std::string, int> makers;
  for (int i = 0; i < proto.node_size(); ++i)
    for (const auto& name : proto.node(i).output())
      if (!name.empty()) makers[name] = i;

  Groups groups(graph.names.size());
  std::vector<std::map<std::string, std::set<int>>> served;
  for (const Model* model : running) {
    const Graph runs(model->data().proto.graph());
    Ends ends(runs, makers);
    std::set<int> with_kernel;
    auto& by_name = served.emplace_back();
    for (size_t i = 0; i < runs.names.size(); ++i) {
      const std::set<int>& own = ends.of(static_cast<int>(i));
      with_kernel.insert(own.begin(), own.end());
      if (!own.empty()) by_name[runs.names[i]] = own;
    }
    for (int i = 0; i < proto.node_size(); ++i)
      if (proto.node(i).op_type() != "Constant")
        groups.join(i, kernel_behind(graph, with_kernel, i));
  }

  KernelPairing out;
  std::map<int, int> numbers;
  for (int i = 0; i < proto.node_size(); ++i) {
    const auto [at, fresh] = numbers.try_emplace(
        groups.find(i), static_cast<int>(out.groups.size()));
    if (fresh) out.groups.emplace_back();
    out.groups[static_cast<size_t>(at->second)].push_back(i);
  }
  for (const auto& by_name : served) {
    Served& model = out.models.emplace_back();
    for (const auto& [name, nodes] : by_name) {
      std::set<int> unique;
      for (const int node : nodes) unique.insert(numbers.at(groups.find(node)));
      model[name].assign(unique.begin(), unique.end());
    }
  }
  return out;
}

}  // namespace octavo
