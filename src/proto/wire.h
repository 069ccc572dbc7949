// Protobuf's wire format, one field at a time, over bytes that may be hostile.
// It knows nothing of ONNX. (Encoding:
// protobuf.dev/programming-guides/encoding)
#pragma once

#include <cstdint>
#include <string>

#include "octavo/tensor.h"

namespace octavo::wire {

enum class Type : uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct Field {
  uint32_t number = 0;
  Type type = Type::varint;
  uint64_t varint = 0;  // of a varint field
  Bytes payload;        // of a bytes, fixed32 or fixed64 field
  Bytes whole;          // tag, length and payload
};

// Walks the fields of one message. Groups (wire types 3 and 4), which ONNX
// never uses, and all that does not end within the message throw
// Error(format).
class FieldReader {
 public:
  explicit FieldReader(Bytes message) : rest_(message) {}
  bool next(Field& field);

 private:
  uint64_t varint();
  Bytes rest_;
};

constexpr uint32_t make_tag(uint32_t number, Type type) {
  return number << 3 | static_cast<uint32_t>(type);
}

size_t varint_size(uint64_t value) noexcept;
void append_varint(std::string& out, uint64_t value);
void append_bytes(std::string& out, Bytes bytes);

// Room for a length that is not known yet: five bytes, a legal if not the
// shortest varint. `fill_length` writes the bytes since `reserve_length`.
size_t reserve_length(std::string& out);
void fill_length(std::string& out, size_t reserved);

}  // namespace octavo::wire
