#include "quant/ort/graph.h"

#include <fmt/format.h>

#include "octavo/error.h"

namespace octavo::ort {

void refuse(const std::string& node, const std::string& fault) {
  throw Error(ErrorKind::unsupported,
              fmt::format("--preset ort does not quantize {}: the peer {}. "
                          "Use --preset safe.",
                          node, fault));
}

std::string node_words(const onnx::NodeProto& node) {
  if (!node.name().empty())
    return fmt::format("{} '{}'", node.op_type(), node.name());
  if (node.output_size() > 0)
    return fmt::format("the {} that makes '{}'", node.op_type(),
                       node.output(0));
  return fmt::format("a {} without a name", node.op_type());
}

Graph::Graph(ModelData& model) : model_(model) {
  auto& graph = proto();
  for (auto& t : *graph.mutable_initializer()) initializers_[t.name()] = &t;
  for (const auto* list :
       {&graph.input(), &graph.output(), &graph.value_info()})
    for (const auto& v : *list)
      if (v.type().has_tensor_type())
        declared_[v.name()] = v.type().tensor_type().elem_type();
  // Kept, because the graph's own nodes are replaced while others still ask.
  for (const auto& n : graph.node()) {
    originals_.push_back(n);
    for (const auto& o : n.output()) makers_[o] = &originals_.back();
  }
  for_each_graph(std::as_const(graph), [&](const onnx::GraphProto& g) {
    for (const auto& v : g.input()) names_.insert(v.name());
    for (const auto& v : g.output()) {
      names_.insert(v.name());
      ++uses_[v.name()];
    }
    for (const auto& t : g.initializer()) names_.insert(t.name());
    for (const auto& n : g.node()) {
      node_names_.insert(n.name());
      for (const auto& i : n.input()) {
        names_.insert(i);
        ++uses_[i];
      }
      for (const auto& o : n.output()) names_.insert(o);
    }
  });
}

onnx::TensorProto* Graph::initializer(std::string_view name) {
  const auto it = initializers_.find(std::string(name));
  return it == initializers_.end() ? nullptr : it->second;
}

bool Graph::is_float_initializer(std::string_view name) {
  const auto* t = initializer(name);
  const auto type = t ? static_cast<DType>(t->data_type()) : DType::undefined;
  return type == DType::float32 || type == DType::float16;
}

Constant Graph::constant(const std::string& name) {
  const auto* own = initializer(name);
  const auto copy = copied_from_.find(name);
  const auto* t = copy == copied_from_.end() ? own : initializer(copy->second);
  Definition& d = definitions_.emplace_back();
  d.kind = Definition::Kind::initializer;
  d.name = own->name();
  Constant c;
  c.source = &d;
  c.tensor = t;
  c.type = static_cast<DType>(t->data_type());
  c.shape = shape_of(*t);
  if (turned_.contains(name) || copy != copied_from_.end()) {
    std::swap(c.shape[0], c.shape[1]);
    c.transposed = true;
  }
  return c;
}

void Graph::add(const std::string& owner, const std::string& name, DType type,
                const Shape& shape, Blob blob) {
  take_name(owner, name);
  auto& t = *proto().add_initializer();
  t.set_name(name);
  t.set_data_type(static_cast<int>(type));
  for (const int64_t d : shape) t.add_dims(d);
  t.set_blob(model_.add_blob(std::move(blob)));
  initializers_[name] = &t;
}

namespace {

// A matrix of a constant the other way round.
class Turned : public LazyBytes {
 public:
  Turned(Bytes from, std::shared_ptr<const void> owner, uint64_t rows,
         uint64_t cols, size_t width)
      : from_(from),
        owner_(std::move(owner)),
        rows_(rows),
        cols_(cols),
        width_(width) {}

  void fill(uint64_t begin, std::span<std::byte> out) const override {
    for (size_t i = 0; i < out.size(); i += width_) {
      const uint64_t element = (begin + i) / width_;
      const uint64_t at = element % rows_ * cols_ + element / rows_;
      std::copy_n(from_.data() + at * width_, width_, out.data() + i);
    }
  }
  uint64_t grain() const override { return width_; }

 private:
  Bytes from_;
  std::shared_ptr<const void> owner_;
  uint64_t rows_, cols_;
  size_t width_;
};

}  // namespace

std::string Graph::add_turned(const std::string& name) {
  std::string& copy = turned_copies_[name];
  if (!copy.empty()) return copy;
  copy = name + "_Transposed";
  const auto taken = [&] {
    for (const char* end : {"", "_quantized", "_scale", "_zero_point"})
      if (names_.contains(copy + end)) return true;
    return false;
  };
  for (int i = 1; taken(); ++i) copy = fmt::format("{}_Transposed_{}", name, i);
  copied_from_[copy] = name;
  const onnx::TensorProto& t = *initializer(name);
  auto storage = std::make_shared<std::vector<std::byte>>();
  Bytes from = payload(model_, t, *storage);
  std::shared_ptr<const void> owner = storage;
  if (t.has_blob() && from.data() != storage->data())
    owner = model_.blobs.at(t.blob()).keep_alive;
  else if (from.data() != storage->data())
    storage->assign(from.begin(), from.end()), from = *storage;
  const auto rows = static_cast<uint64_t>(t.dims(0));
  const auto cols = static_cast<uint64_t>(t.dims(1));
  const size_t width =
      static_cast<size_t>(dtype_bits(static_cast<DType>(t.data_type()))) / 8;
  add("this model", copy, static_cast<DType>(t.data_type()),
      {t.dims(1), t.dims(0)},
      lazy_blob(from.size(),
                std::make_shared<Turned>(from, owner, rows, cols, width)));
  return copy;
}

void Graph::take_name(const std::string& owner, const std::string& name) {
  if (!names_.insert(name).second)
    refuse(owner, fmt::format("would define the value '{}', which the model "
                              "has already",
                              name));
}

int Graph::uses(const std::string& name) const {
  const auto it = uses_.find(name);
  return it == uses_.end() ? 0 : it->second;
}

std::optional<DType> Graph::type_of(const std::string& name, int depth) {
  if (const auto* t = initializer(name))
    return static_cast<DType>(t->data_type());
  const auto declared = declared_.find(name);
  if (declared != declared_.end() && declared->second != 0)
    return static_cast<DType>(declared->second);
  const auto maker = makers_.find(name);
  if (maker == makers_.end() || depth == 0) return {};
  const onnx::NodeProto& n = *maker->second;
  const std::string_view domain = domain_of(n);
  if (!domain.empty() && domain != "com.microsoft") return {};
  if (n.op_type() == "Cast")
    return static_cast<DType>(int_attribute(n, "to", 0));
  for (const char* op : {"Shape", "Size", "ArgMax", "ArgMin", "NonZero"})
    if (n.op_type() == op) return DType::int64;
  for (const char* op : {"Equal", "Less", "Greater", "And", "Or", "Not", "Xor",
                         "LessOrEqual", "GreaterOrEqual", "IsNaN", "IsInf"})
    if (n.op_type() == op) return DType::boolean;
  if (const auto* a = find_attribute(n, "value"); a && a->has_t())
    return static_cast<DType>(a->t().data_type());
  if (n.op_type() == "ConstantOfShape") return DType::float32;
  const int like = n.op_type() == "Where" ? 1 : 0;
  if (n.input_size() <= like || n.input(like).empty()) return {};
  return type_of(n.input(like), depth - 1);
}

bool Graph::is_float(const std::string& name, int depth) {
  if (initializer(name)) return is_float_initializer(name);
  const auto type = type_of(name, depth);
  return type == DType::float32 || type == DType::float16;
}

void Graph::write_turned() {
  auto& infos = *proto().mutable_value_info();
  for (int i = infos.size() - 1; i >= 0; --i)  // they tell the old shape
    if (turned_.contains(infos.Get(i).name())) infos.DeleteSubrange(i, 1);
  for (onnx::TensorProto& t : *proto().mutable_initializer()) {
    if (!turned_.contains(t.name())) continue;
    const auto rows = static_cast<uint64_t>(t.dims(0));
    const auto cols = static_cast<uint64_t>(t.dims(1));
    std::vector<std::byte> storage;
    const Bytes in = payload(model_, t, storage);
    const size_t width = rows * cols == 0 ? 0 : in.size() / (rows * cols);
    std::vector<std::byte> out(in.size());
    for (uint64_t r = 0; r < rows; ++r)
      for (uint64_t c = 0; c < cols; ++c)
        std::copy_n(in.data() + (r * cols + c) * width, width,
                    out.data() + (c * rows + r) * width);
    onnx::TensorProto fresh;
    fresh.set_name(t.name());
    fresh.set_data_type(t.data_type());
    fresh.add_dims(static_cast<int64_t>(cols));
    fresh.add_dims(static_cast<int64_t>(rows));
    fresh.set_blob(model_.add_blob(owned_blob(std::move(out))));
    t = std::move(fresh);
  }
}

namespace {

// The names that a graph and its bodies need from outside of the graph.
std::set<std::string> clean_graph(onnx::GraphProto& graph,
                                  std::set<std::string>& removed) {
  std::set<std::string> wanted;
  for (const auto& o : graph.output()) wanted.insert(o.name());
  for (auto& n : *graph.mutable_node()) {
    wanted.insert(n.input().begin(), n.input().end());
    for (auto& a : *n.mutable_attribute()) {
      if (a.has_g()) wanted.merge(clean_graph(*a.mutable_g(), removed));
      for (auto& g : *a.mutable_graphs()) wanted.merge(clean_graph(g, removed));
    }
  }
  wanted.erase("");
  for (const auto& n : graph.node())
    for (const auto& o : n.output()) wanted.erase(o);
  std::set<std::string> gone;
  auto& initializers = *graph.mutable_initializer();
  int kept = 0;
  for (int i = 0; i < initializers.size(); ++i) {
    if (wanted.erase(initializers.Get(i).name()) == 0) {
      gone.insert(initializers.Get(i).name());
      continue;
    }
    if (kept != i) initializers.SwapElements(kept, i);
    ++kept;
  }
  initializers.DeleteSubrange(kept, initializers.size() - kept);
  auto& inputs = *graph.mutable_input();
  for (int i = inputs.size() - 1; i >= 0; --i)
    if (gone.contains(inputs.Get(i).name())) inputs.DeleteSubrange(i, 1);
  for (const auto& v : graph.input()) wanted.erase(v.name());
  removed.merge(gone);
  return wanted;
}

}  // namespace

void Graph::clean() {
  std::set<std::string> removed;
  const auto missing = clean_graph(proto(), removed);
  if (!missing.empty())
    refuse("this model",
           fmt::format("fails, because '{}' is read as float and exists "
                       "quantized only",
                       *missing.begin()));
}

}  // namespace octavo::ort
