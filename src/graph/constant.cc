#include "graph/constant.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "octavo/error.h"

namespace octavo {
namespace {

constexpr int kMaxChain = 64;               // a loop of nodes ends here
constexpr uint64_t kMaxReorder = 1u << 30;  // bytes that are copied at most

// A constant on its way: stored as row-major `stored`, seen through `perm`.
struct Path {
  Constant c;
  Shape stored;
  std::vector<int64_t> perm;  // shape[i] = stored[perm[i]]

  bool straight() const {
    for (size_t i = 0; i < perm.size(); ++i)
      if (perm[i] != static_cast<int64_t>(i)) return false;
    return true;
  }
  void restart(Shape shape) {
    stored = std::move(shape);
    perm.resize(stored.size());
    std::iota(perm.begin(), perm.end(), 0);
  }
  Shape seen() const {
    Shape s;
    for (const int64_t p : perm) s.push_back(stored[static_cast<size_t>(p)]);
    return s;
  }
};

std::vector<std::byte> reorder(Bytes in, size_t width, const Shape& stored,
                               const std::vector<int64_t>& perm) {
  const size_t rank = stored.size();
  std::vector<uint64_t> stride(rank, width), step(rank), extent(rank);
  for (size_t i = rank; i-- > 1;)
    stride[i - 1] = stride[i] * static_cast<uint64_t>(stored[i]);
  for (size_t i = 0; i < rank; ++i) {
    step[i] = stride[static_cast<size_t>(perm[i])];
    extent[i] = static_cast<uint64_t>(stored[static_cast<size_t>(perm[i])]);
  }
  std::vector<std::byte> out(in.size());
  std::vector<uint64_t> at(rank, 0);
  uint64_t from = 0;
  for (size_t to = 0; to < out.size(); to += width) {
    std::memcpy(out.data() + to, in.data() + from, width);
    for (size_t i = rank; i-- > 0;) {
      from += step[i];
      if (++at[i] < extent[i]) break;
      from -= step[i] * extent[i];
      at[i] = 0;
    }
  }
  return out;
}

// Puts the payload into the order that is seen.
bool straighten(const ModelData& model, Path& p) {
  if (p.straight()) return true;
  const int bits = dtype_bits(p.c.stored_type());
  if (bits % 8 != 0 || bits == 0 || payload_size(*p.c.tensor) > kMaxReorder)
    return false;
  std::vector<std::byte> storage;
  const Bytes in = p.c.reordered ? Bytes(*p.c.reordered)
                                 : payload(model, *p.c.tensor, storage);
  p.c.reordered = std::make_shared<const std::vector<std::byte>>(
      reorder(in, static_cast<size_t>(bits / 8), p.stored, p.perm));
  p.restart(p.seen());
  return true;
}

// Casts that change no value of the weights that we read (they widen), or that
// we make ourselves in the same way (float64 to float32, half to even).
bool castable(DType from, DType to) {
  if (from == to) return true;
  return to == DType::float32 &&
         (from == DType::float16 || from == DType::bfloat16 ||
          from == DType::float64);
}

std::optional<std::vector<int64_t>> axes_of(const GraphIndex& index,
                                            const Scope* scope,
                                            const onnx::NodeProto& node) {
  if (const auto* a = find_attribute(node, "axes"))
    return std::vector<int64_t>(a->ints().begin(), a->ints().end());
  if (!input_name(node, 1).empty())
    return constant_ints(index, scope, node.input(1));
  return std::vector<int64_t>{};
}

// Each step gives the new shape, or nothing where it cannot be told.
std::optional<Shape> squeezed(const Shape& in, std::vector<int64_t> axes) {
  const auto rank = static_cast<int64_t>(in.size());
  if (axes.empty())
    for (int64_t i = 0; i < rank; ++i)
      if (in[static_cast<size_t>(i)] == 1) axes.push_back(i);
  std::vector<bool> drop(in.size(), false);
  for (int64_t a : axes) {
    if (a < 0) a += rank;
    if (a < 0 || a >= rank || in[static_cast<size_t>(a)] != 1) return {};
    drop[static_cast<size_t>(a)] = true;
  }
  Shape out;
  for (size_t i = 0; i < in.size(); ++i)
    if (!drop[i]) out.push_back(in[i]);
  return out;
}

std::optional<Shape> unsqueezed(const Shape& in,
                                const std::vector<int64_t>& axes) {
  const auto rank = static_cast<int64_t>(in.size() + axes.size());
  std::vector<bool> fresh(static_cast<size_t>(rank), false);
  for (int64_t a : axes) {
    if (a < 0) a += rank;
    if (a < 0 || a >= rank || fresh[static_cast<size_t>(a)]) return {};
    fresh[static_cast<size_t>(a)] = true;
  }
  Shape out;
  size_t next = 0;
  for (const bool f : fresh) out.push_back(f ? 1 : in[next++]);
  return out;
}

std::optional<Shape> reshaped(const Shape& in, std::vector<int64_t> to,
                              bool allow_zero) {
  const int64_t count = element_count(in);
  int64_t known = 1, free = -1;
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] == 0 && !allow_zero) {
      if (i >= in.size()) return {};
      to[i] = in[i];
    }
    if (to[i] == -1) {
      if (free >= 0) return {};
      free = static_cast<int64_t>(i);
    } else if (to[i] < 0 || __builtin_mul_overflow(known, to[i], &known)) {
      return {};
    }
  }
  if (free >= 0) {
    if (known == 0 || count % known != 0) return {};
    to[static_cast<size_t>(free)] = count / known;
  } else if (known != count) {
    return {};
  }
  return to;
}

std::optional<Shape> flattened(const Shape& in, int64_t axis) {
  const auto rank = static_cast<int64_t>(in.size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) return {};
  const std::span<const int64_t> all(in);
  return Shape{element_count(all.first(static_cast<size_t>(axis))),
               element_count(all.subspan(static_cast<size_t>(axis)))};
}

std::optional<Path> follow(const GraphIndex& index, const Scope* scope,
                           std::string_view name, int left) {
  const Definition* d = index.find(scope, name);
  if (!d || left == 0) return {};
  if (const auto* tensor = index.tensor(*d)) {
    Path p;
    p.c.source = d;
    p.c.tensor = tensor;
    p.c.type = p.c.stored_type();
    p.restart(shape_of(*tensor));
    return p;
  }
  if (d->kind != Definition::Kind::node) return {};
  const auto& node = d->scope->node(d->index);
  if (!domain_of(node).empty() || node.input_size() < 1) return {};
  const std::string& op = node.op_type();
  const bool reshapes = op == "Reshape" || op == "Squeeze" ||
                        op == "Unsqueeze" || op == "Flatten";
  if (!reshapes && op != "Identity" && op != "Cast" && op != "Transpose")
    return {};
  auto p = follow(index, d->scope, node.input(0), left - 1);
  if (!p) return {};
  p->c.chain.insert(p->c.chain.begin(), d);
  if (op == "Cast") {
    const auto to = static_cast<DType>(int_attribute(node, "to", 0));
    if (!castable(p->c.type, to)) return {};
    p->c.type = to;
  } else if (op == "Transpose") {
    const auto* a = find_attribute(node, "perm");
    const size_t rank = p->perm.size();
    std::vector<int64_t> perm(rank);
    for (size_t i = 0; i < rank; ++i) {
      const int64_t from = a && i < static_cast<size_t>(a->ints_size())
                               ? a->ints(static_cast<int>(i))
                               : static_cast<int64_t>(rank - 1 - i);
      if (from < 0 || from >= static_cast<int64_t>(rank)) return {};
      perm[i] = p->perm[static_cast<size_t>(from)];
    }
    std::vector<int64_t> sorted = perm;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      return {};
    p->perm = perm;
  } else if (reshapes) {
    if (!straighten(index.model(), *p)) return {};
    std::optional<Shape> to;
    if (op == "Flatten") {
      to = flattened(p->stored, int_attribute(node, "axis", 1));
    } else if (op == "Reshape") {
      const auto* attribute = find_attribute(node, "shape");  // opset 1 to 4
      const auto shape =
          attribute ? std::optional(std::vector<int64_t>(
                          attribute->ints().begin(), attribute->ints().end()))
                    : constant_ints(index, d->scope, input_name(node, 1));
      if (shape)
        to = reshaped(p->stored, *shape, int_attribute(node, "allowzero", 0));
    } else if (const auto axes = axes_of(index, d->scope, node)) {
      to = op == "Squeeze" ? squeezed(p->stored, *axes)
                           : unsqueezed(p->stored, *axes);
    }
    if (!to) return {};
    p->restart(*to);
  }
  return p;
}

}  // namespace

std::optional<Constant> resolve_constant(const GraphIndex& index,
                                         const Scope* scope,
                                         std::string_view name) try {
  auto p = follow(index, scope, name, kMaxChain);
  if (!p) return {};
  const size_t rank = p->perm.size();
  if (!p->straight() && rank >= 2) {
    std::swap(p->perm[rank - 1], p->perm[rank - 2]);
    p->c.transposed = p->straight();
    std::swap(p->perm[rank - 1], p->perm[rank - 2]);
  }
  p->c.shape = p->seen();
  if (!p->c.transposed && !straighten(index.model(), *p)) return {};
  element_count(p->c.shape);  // hostile dimensions end here
  return std::move(p->c);
} catch (const Error&) {
  return {};
}

Bytes constant_payload(const ModelData& model, const Constant& constant,
                       std::vector<std::byte>& storage) {
  if (constant.reordered) return *constant.reordered;
  return payload(model, *constant.tensor, storage);
}

std::optional<std::vector<int64_t>> constant_ints(const GraphIndex& index,
                                                  const Scope* scope,
                                                  std::string_view name) {
  const Definition* d = index.find(scope, name);
  if (!d) return {};
  const auto* t = index.tensor(*d);
  if (!t) {
    if (d->kind != Definition::Kind::node) return {};
    const auto& node = d->scope->node(d->index);
    if (!is_op(node, "Constant")) return {};
    if (const auto* a = find_attribute(node, "value_ints"))
      return std::vector<int64_t>(a->ints().begin(), a->ints().end());
    if (const auto* a = find_attribute(node, "value_int"))
      return std::vector<int64_t>{a->i()};
    return {};
  }
  std::vector<std::byte> storage;
  const Bytes bytes = payload(index.model(), *t, storage);
  std::vector<int64_t> out;
  if (static_cast<DType>(t->data_type()) == DType::int64) {
    out.resize(bytes.size() / 8);
    std::memcpy(out.data(), bytes.data(), bytes.size());
  } else if (static_cast<DType>(t->data_type()) == DType::int32) {
    for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
      int32_t v;
      std::memcpy(&v, bytes.data() + i, 4);
      out.push_back(v);
    }
  } else {
    return {};
  }
  return out;
}

}  // namespace octavo
