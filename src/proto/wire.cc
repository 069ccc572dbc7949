#include "proto/wire.h"

#include <fmt/format.h>

#include "octavo/error.h"

namespace octavo::wire {
namespace {

constexpr size_t kReserved = 5;

[[noreturn]] void malformed(const char* what) {
  throw Error(ErrorKind::format,
              fmt::format("its protobuf data is damaged: {}", what));
}

}  // namespace

uint64_t FieldReader::varint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (rest_.empty()) malformed("a number is cut off at the end");
    const auto b = static_cast<uint8_t>(rest_[0]);
    rest_ = rest_.subspan(1);
    value |= static_cast<uint64_t>(b & 0x7f) << shift;
    if (b < 0x80) return value;
  }
  malformed("a number is longer than ten bytes");
}

bool FieldReader::next(Field& field) {
  if (rest_.empty()) return false;
  const std::byte* begin = rest_.data();
  const uint64_t tag = varint();
  if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
    malformed("a field has an impossible number");
  field.number = static_cast<uint32_t>(tag >> 3);
  uint64_t length = 0;
  switch (tag & 7) {
    case 0:
      field.varint = varint();
      break;
    case 1:
      length = 8;
      break;
    case 2:
      length = varint();
      break;
    case 5:
      length = 4;
      break;
    default:
      malformed("a field has a wire type that ONNX does not use");
  }
  field.type = static_cast<Type>(tag & 7);
  if (length > rest_.size())
    malformed("a field is longer than the message that holds it");
  field.payload = rest_.first(length);
  rest_ = rest_.subspan(length);
  field.whole = {begin, static_cast<size_t>(rest_.data() - begin)};
  return true;
}

size_t varint_size(uint64_t value) noexcept {
  size_t n = 1;
  while (value >>= 7) ++n;
  return n;
}

void append_varint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void append_bytes(std::string& out, Bytes bytes) {
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

size_t reserve_length(std::string& out) {
  out.append(kReserved, '\0');
  return out.size();
}

void fill_length(std::string& out, size_t reserved) {
  uint64_t length = out.size() - reserved;
  if (length >> (7 * kReserved))
    throw Error(ErrorKind::limit,
                "the model's structure, without its weights, is larger than "
                "32 GiB, which no ONNX model should be");
  for (size_t i = kReserved; i > 0; --i) {
    out[reserved - i] = static_cast<char>((length & 0x7f) | (i > 1 ? 0x80 : 0));
    length >>= 7;
  }
}

}  // namespace octavo::wire
