// Plain values to bytes and back, little-endian, for statistics that travel
// between processes. No names, no versions: whoever packs writes a tag first.
#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "octavo/compare.h"
#include "octavo/error.h"

namespace octavo {

static_assert(std::endian::native == std::endian::little,
              "Octavo's bytes are little-endian");

class Packer {
 public:
  template <typename T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void put(T v) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof v);
    std::memcpy(bytes_.data() + at, &v, sizeof v);
  }
  void put(const std::string& s) {
    put(static_cast<uint64_t>(s.size()));
    const auto* p = reinterpret_cast<const std::byte*>(s.data());
    bytes_.insert(bytes_.end(), p, p + s.size());
  }
  void put(const Shape& shape) {
    put(static_cast<uint64_t>(shape.size()));
    for (int64_t d : shape) put(d);
  }
  void put(const std::vector<std::byte>& bytes) {
    put(static_cast<uint64_t>(bytes.size()));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void put(const std::vector<float>& values) {
    put(static_cast<uint64_t>(values.size()));
    for (float v : values) put(v);
  }
  void put(const Scalar& v) {
    put(static_cast<uint8_t>(v.index()));
    std::visit([this](const auto& x) { put(x); }, v);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Every read is checked; Error(format) where the bytes end early.
class Unpacker {
 public:
  explicit Unpacker(Bytes bytes) : rest_(bytes) {}

  template <typename T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void get(T& v) {
    std::memcpy(&v, bytes(sizeof v).data(), sizeof v);
  }
  void get(bool& v) { v = get<uint8_t>() != 0; }
  void get(std::string& s) {
    const Bytes b = bytes(get<uint64_t>());
    s.assign(reinterpret_cast<const char*>(b.data()), b.size());
  }
  void get(Shape& shape) {
    shape.resize(count(sizeof(int64_t)));
    for (int64_t& d : shape) get(d);
  }
  void get(std::vector<float>& values) {
    values.resize(count(sizeof(float)));
    for (float& v : values) get(v);
  }
  void get(Scalar& v) {
    switch (get<uint8_t>()) {
      case 0:
        v = get<double>();
        return;
      case 1:
        v = get<int64_t>();
        return;
      case 2:
        v = get<uint64_t>();
        return;
      case 3:
        v = get<std::string>();
        return;
      default:
        broken();
    }
  }
  template <typename T>
  T get() {
    T v{};
    get(v);
    return v;
  }
  // What was put as a vector of bytes; a view of the bytes unpacked.
  Bytes blob() { return bytes(get<uint64_t>()); }
  // A number of items that take at least `item_bytes` each: never more than
  // the rest can hold.
  uint64_t count(uint64_t item_bytes) {
    const auto n = get<uint64_t>();
    if (n > rest_.size() / item_bytes) broken();
    return n;
  }
  bool done() const { return rest_.empty(); }
  [[noreturn]] static void broken() {
    throw Error(ErrorKind::format,
                "these bytes are no complete statistics of octavo: they are "
                "truncated, damaged, or written by another version; measure "
                "again");
  }

 private:
  Bytes bytes(uint64_t n) {
    if (n > rest_.size()) broken();
    const Bytes b = rest_.first(n);
    rest_ = rest_.subspan(n);
    return b;
  }
  Bytes rest_;
};

}  // namespace octavo
