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
    const auto* p = reinterpret_cast<const std::byte*>(&v);
    bytes_.insert(bytes_.end(), p, p + sizeof v);
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
    const auto n = get<uint64_t>();
    if (n > rest_.size() / sizeof(int64_t)) broken();
    shape.resize(n);
    for (int64_t& d : shape) get(d);
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
