#include "tune/mixture.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/index.h"
#include "graph/opset11.h"
#include "graph/switch.h"
#include "octavo/quantize.h"
#include "tune/known.h"
#include "tune/temporary.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

using Place = std::pair<int64_t, int64_t>;

std::map<Place, const Decision*> by_place(const Plan& plan) {
  std::map<Place, const Decision*> out;
  for (const Decision& d : plan.decisions) out[{d.scope_index, d.index}] = &d;
  return out;
}

// As `d`, but float.
Decision kept(Decision d) {
  d.action = Action::keep;
  d.bytes_after = d.bytes_before;
  return d;
}

bool is_float(const Plan& plan) {
  return std::all_of(
      plan.decisions.begin(), plan.decisions.end(),
      [](const Decision& d) { return d.action == Action::keep; });
}

// The model as both plans have it, quantized by `plan`.
Model model_of(const fs::path& path, const Plan& plan, const Plan& high) {
  Model model = open_model(path);
  if (is_float(plan)) {
    // A plan that quantizes nothing prepares nothing either; the nodes are to
    // be those of the other plan.
    const Plan same = prepare_and_plan(model, wish_all(high));
    if (same.converted_from != 0) convert_to_opset11(model.data());
  } else {
    apply_plan(model, prepare_and_plan(model, wish_all(plan)));
  }
  return model;
}

// The value that a decision's node makes, by which it is found in any form.
std::vector<std::string> values_of(const Model& prepared,
                                   const std::vector<Mixture::Layer>& layers) {
  const auto& graph = prepared.data().proto.graph();
  std::vector<std::string> out;
  for (const Mixture::Layer& l : layers) {
    out.emplace_back();
    if (l.high.scope_index != 0 || l.high.index >= graph.node_size()) continue;
    for (const auto& o : graph.node(static_cast<int>(l.high.index)).output())
      if (!o.empty() && out.back().empty()) out.back() = o;
  }
  return out;
}

// Nodes of the graph that make these values; -1 where none does.
std::vector<int> nodes_making(const Model& model,
                              const std::vector<std::string>& values) {
  std::map<std::string_view, int> makers;
  const auto& graph = model.data().proto.graph();
  for (int i = 0; i < graph.node_size(); ++i)
    for (const auto& o : graph.node(i).output()) makers[o] = i;
  std::vector<int> out;
  for (const auto& v : values) {
    const auto it = makers.find(v);
    out.push_back(v.empty() || it == makers.end() ? -1 : it->second);
  }
  return out;
}

}  // namespace

// A session with a bool input a layer, which looks like one of the model.
class Mixture::Switched : public Runner {
 public:
  Switched(std::unique_ptr<Runner> session, std::vector<std::string> switches)
      : session_(std::move(session)), switches_(std::move(switches)) {
    for (const Port& p : session_->inputs())
      if (std::find(switches_.begin(), switches_.end(), p.name) ==
          switches_.end())
        inputs_.push_back(p);
  }

  void set(const Choice& high) { high_ = high; }
  const std::vector<Port>& inputs() const override { return inputs_; }
  const std::vector<Port>& outputs() const override {
    return session_->outputs();
  }
  std::vector<Value> run(const Feed& feed) override {
    Feed all = feed;
    for (size_t i = 0; i < switches_.size(); ++i)
      if (!switches_[i].empty())
        all.inputs.emplace_back(
            switches_[i], make_tensor<bool>(DType::boolean, {}, {high_.at(i)}));
    return session_->run(all);
  }

 private:
  std::unique_ptr<Runner> session_;
  std::vector<std::string> switches_;
  std::vector<Port> inputs_;
  Choice high_;
};

Settled settle_at(const fs::path& model, const fs::path& copy,
                  const Recipe& recipe) {
  QuantizeOptions options;
  options.recipe = recipe;
  options.write.sync = false;
  options.provenance = false;
  QuantizeResult r = quantize_file(model, copy, options);
  Settled out{std::move(r.plan), sha256_of_file(copy), r.bytes_after};
  if (r.written.external_bytes > 0)
    out.digest += sha256_of_file(copy.string() + ".data");
  return out;
}

Settled settle(const fs::path& model, const fs::path& scratch,
               const Recipe& recipe) {
  const TemporaryModel file(scratch / "settled.onnx");
  return settle_at(model, file.path(), recipe);
}

Recipe wish_all(const Plan& plan) {
  Recipe recipe = plan.recipe;
  recipe.wishes.clear();
  for (const Decision& d : plan.decisions)
    recipe.wishes.push_back({d.scope_index, d.index, d.node, d.op, d.action});
  recipe.keep_opset = plan.converted_from == 0;
  return recipe;
}

Mixture::Mixture(std::shared_ptr<Runtime> runtime, fs::path original,
                 const Plan& low, const Plan& high, Options options)
    : runtime_(std::move(runtime)),
      original_(std::move(original)),
      low_(low),
      high_(high),
      options_(std::move(options)) {
  const auto lows = by_place(low_);
  for (const Decision& d : high_.decisions) {
    const auto it = lows.find({d.scope_index, d.index});
    Decision other = it == lows.end() ? kept(d) : *it->second;
    if (other.action != d.action) layers_.push_back({std::move(other), d, ""});
  }
}

Mixture::~Mixture() = default;

std::unique_ptr<Runner> Mixture::open(const Model& model) {
  const TemporaryModel file(options_.scratch / "mixture.onnx");
  WriteOptions write;
  write.sync = false;
  write_model(model, file.path(), write);
  ++sessions_;
  return open_session(runtime_, file.path(), options_.session);
}

std::unique_ptr<Runner> Mixture::open_copy(const Choice& high) {
  const TemporaryModel file(options_.scratch / "mixture.onnx");
  QuantizeOptions quantize;
  quantize.recipe = recipe(high);
  quantize.write.sync = false;
  quantize.provenance = false;
  quantize_file(original_, file.path(), quantize);
  ++sessions_;
  return open_session(runtime_, file.path(), options_.session);
}

void Mixture::open_switched() {
  opened_ = true;
  if (!options_.switches || layers_.empty()) return;
  Model low = model_of(original_, low_, high_);
  const Model high = model_of(original_, high_, high_);
  Plan none = high_;
  for (Decision& d : none.decisions) d = kept(d);
  const auto values = values_of(model_of(original_, none, high_), layers_);
  const std::vector<int> nodes = nodes_making(low, values);
  std::vector<int> found;
  for (const int n : nodes)
    if (n >= 0) found.push_back(n);
  const auto inputs = add_switches(low, high, found);
  std::vector<std::string> switches;
  for (size_t i = 0, k = 0; i < layers_.size(); ++i) {
    if (nodes[i] >= 0) layers_[i].input = inputs[k++];
    switches.push_back(layers_[i].input);
  }
  const bool any = std::any_of(switches.begin(), switches.end(),
                               [](const auto& s) { return !s.empty(); });
  if (any)
    switched_ = std::make_unique<Switched>(open(low), std::move(switches));
}

bool Mixture::switchable(size_t layer) {
  if (!opened_) open_switched();
  return !layers_.at(layer).input.empty();
}

Recipe Mixture::recipe(const Choice& high) const {
  std::map<Place, Action> mixed;
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Layer& l = layers_[i];
    mixed[{l.high.scope_index, l.high.index}] =
        high.at(i) ? l.high.action : l.low.action;
  }
  Recipe out = wish_all(high_);
  for (Wish& w : out.wishes)
    if (const auto it = mixed.find({w.scope_index, w.index}); it != mixed.end())
      w.action = it->second;
  return out;
}

std::string Mixture::key(const Choice& high) const {
  std::string key = " low:";
  for (size_t i = 0; i < layers_.size(); ++i)
    if (!high.at(i))
      key += fmt::format(" {}.{}", layers_[i].high.scope_index,
                         layers_[i].high.index);
  return key;
}

Runner& Mixture::runner(const Choice& high) {
  if (!opened_) open_switched();
  bool own = !switched_;
  for (size_t i = 0; i < layers_.size(); ++i)
    own = own || (high.at(i) && layers_[i].input.empty());
  if (!own) {
    switched_->set(high);
    return *switched_;
  }
  own_ = nullptr;  // first, so that two are never in memory
  own_ = open_copy(high);
  return *own_;
}

}  // namespace octavo
