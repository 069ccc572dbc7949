#include "proto/payloads.h"

#include <fmt/format.h>

#include "octavo/error.h"
#include "proto/wire.h"

namespace octavo {
namespace {

using wire::Field;
using wire::FieldReader;
using wire::Type;

// Messages that hold payloads somewhere below them. All others are copied.
enum class Kind {
  other,
  model,
  graph,
  node,
  attribute,
  tensor,
  sparse,
  function,
  training,
  entry
};

// Field numbers from onnx.proto.
Kind child_kind(Kind parent, uint32_t field) {
  switch (parent) {
    case Kind::model:
      return field == 7    ? Kind::graph
             : field == 14 ? Kind::entry
             : field == 20 ? Kind::training
             : field == 25 ? Kind::function
                           : Kind::other;
    case Kind::graph:
      return field == 1    ? Kind::node
             : field == 5  ? Kind::tensor
             : field == 15 ? Kind::sparse
                           : Kind::other;
    case Kind::node:
      return field == 5 ? Kind::attribute : Kind::other;
    case Kind::attribute:
      return field == 5 || field == 10    ? Kind::tensor
             : field == 6 || field == 11  ? Kind::graph
             : field == 22 || field == 23 ? Kind::sparse
                                          : Kind::other;
    case Kind::sparse:
      return field == 1 || field == 2 ? Kind::tensor : Kind::other;
    case Kind::function:
      return field == 7    ? Kind::node
             : field == 11 ? Kind::attribute
                           : Kind::other;
    case Kind::training:
      return field == 1 || field == 2 ? Kind::graph : Kind::other;
    default:
      return Kind::other;
  }
}

constexpr uint32_t kFloatData = 4, kRawData = 9, kDoubleData = 10;
constexpr uint32_t kEntryValue = 2;
constexpr uint32_t kHandle = 536870911;
constexpr int kMaxDepth = 90;  // protobuf's own parser stops at 100

// A handle, where a file may not have one and a skeleton may.
bool is_handle(Kind kind, uint32_t field) {
  return field == kHandle && (kind == Kind::tensor || kind == Kind::entry);
}

bool is_payload(uint32_t field) {
  return field == kRawData || field == kFloatData || field == kDoubleData;
}

[[noreturn]] void too_deep() {
  throw Error(ErrorKind::format,
              "its subgraphs nest more deeply than any real model's");
}

class Cutter {
 public:
  explicit Cutter(uint64_t threshold) : threshold_(threshold) {}

  void message(Bytes bytes, Kind kind, int depth) {
    if (depth > kMaxDepth) too_deep();
    if (kind == Kind::tensor) return tensor(bytes);
    std::string& out = result.skeleton;
    FieldReader reader(bytes);
    Field f;
    while (reader.next(f)) {
      if (is_handle(kind, f.number)) refuse_handle();
      const Kind child =
          f.type == Type::bytes ? child_kind(kind, f.number) : Kind::other;
      if (child == Kind::other || f.payload.size() < threshold_) {
        check_small(f, child, depth);
        wire::append_bytes(out, f.whole);
        continue;
      }
      wire::append_varint(out, wire::make_tag(f.number, Type::bytes));
      const size_t at = wire::reserve_length(out);
      message(f.payload, child, depth + 1);
      wire::fill_length(out, at);
    }
  }

  CutModel result;

 private:
  // A message below the threshold has nothing to cut; it is still looked
  // through for the handle's field, which a file must not bring along.
  void check_small(const Field& f, Kind kind, int depth) {
    if (kind == Kind::other) return;
    if (depth > kMaxDepth) too_deep();
    FieldReader reader(f.payload);
    Field g;
    while (reader.next(g)) {
      if (is_handle(kind, g.number)) refuse_handle();
      if (g.type == Type::bytes)
        check_small(g, child_kind(kind, g.number), depth + 1);
    }
  }

  [[noreturn]] static void refuse_handle() {
    throw Error(ErrorKind::format,
                fmt::format("a message has the field {}, which is none of "
                            "ONNX's and which Octavo keeps for itself",
                            kHandle));
  }

  void tensor(Bytes bytes) {
    // Only the payload that stands alone is cut: repeated packed runs are
    // joined, and a repeated raw_data replaced, by protobuf's own rules.
    int runs = 0;
    Field f;
    for (FieldReader reader(bytes); reader.next(f);) {
      if (f.number == kHandle) refuse_handle();
      runs += is_payload(f.number);
    }
    std::string& out = result.skeleton;
    for (FieldReader reader(bytes); reader.next(f);) {
      if (runs == 1 && is_payload(f.number) && f.type == Type::bytes &&
          f.payload.size() >= threshold_) {
        wire::append_varint(out, wire::make_tag(kHandle, Type::varint));
        wire::append_varint(out, result.payloads.size());
        result.payloads.push_back(f.payload);
      } else {
        wire::append_bytes(out, f.whole);
      }
    }
  }

  uint64_t threshold_;
};

// The field that a handle stands for.
uint32_t value_field(Kind kind) {
  return kind == Kind::entry ? kEntryValue : kRawData;
}

// Two passes over the same walk: the first notes each message's final size in
// the order of visiting, the second writes.
class Paster {
 public:
  explicit Paster(const std::function<uint64_t(uint64_t)>& payload_size)
      : payload_size_(payload_size) {}

  uint64_t measure(Bytes bytes, Kind kind, int depth = 0) {
    if (depth > kMaxDepth) too_deep();
    uint64_t size = 0;
    FieldReader reader(bytes);
    Field f;
    while (reader.next(f)) {
      const Kind child =
          f.type == Type::bytes ? child_kind(kind, f.number) : Kind::other;
      uint64_t inner = 0;
      if (is_handle(kind, f.number)) {
        inner = payload_size_(f.varint);
      } else if (child != Kind::other) {
        const size_t slot = sizes_.size();
        sizes_.push_back(0);
        inner = sizes_[slot] = measure(f.payload, child, depth + 1);
      } else {
        size += f.whole.size();
        continue;
      }
      const uint32_t number =
          is_handle(kind, f.number) ? value_field(kind) : f.number;
      size += wire::varint_size(wire::make_tag(number, Type::bytes)) +
              wire::varint_size(inner) + inner;
    }
    return size;
  }

  void write(Bytes bytes, Kind kind) {
    std::string& out = result.literal;
    FieldReader reader(bytes);
    Field f;
    while (reader.next(f)) {
      const Kind child =
          f.type == Type::bytes ? child_kind(kind, f.number) : Kind::other;
      if (is_handle(kind, f.number)) {
        const uint64_t size = payload_size_(f.varint);
        wire::append_varint(out,
                            wire::make_tag(value_field(kind), Type::bytes));
        wire::append_varint(out, size);
        result.gaps.push_back({out.size(), f.varint, size});
      } else if (child != Kind::other) {
        wire::append_varint(out, wire::make_tag(f.number, Type::bytes));
        wire::append_varint(out, sizes_[next_++]);
        write(f.payload, child);
      } else {
        wire::append_bytes(out, f.whole);
      }
    }
  }

  PastedModel result;

 private:
  const std::function<uint64_t(uint64_t)>& payload_size_;
  std::vector<uint64_t> sizes_;
  size_t next_ = 0;
};

}  // namespace

CutModel cut_payloads(Bytes file, uint64_t threshold) {
  Cutter cutter(threshold);
  cutter.message(file, Kind::model, 0);
  return std::move(cutter.result);
}

PastedModel paste_payloads(
    Bytes skeleton, const std::function<uint64_t(uint64_t)>& payload_size) {
  Paster paster(payload_size);
  paster.result.size = paster.measure(skeleton, Kind::model);
  paster.write(skeleton, Kind::model);
  return std::move(paster.result);
}

}  // namespace octavo
