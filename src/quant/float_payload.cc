#include "quant/float_payload.h"

#include <algorithm>
#include <cstring>

#include "base/half.h"
#include "model/mapped_file.h"

namespace octavo {
namespace {

// Weights above this size do not stay in a cache between the look for their
// range and the rounding; their pages are given back behind both.
constexpr uint64_t kLarge = 16 << 20;

uint64_t extent(const Shape& s, int axis) {
  return static_cast<uint64_t>(s[static_cast<size_t>(axis)]);
}

}  // namespace

Shape payload_shape(const Constant& c) {
  Shape s = c.shape;
  if (c.transposed) std::swap(s[s.size() - 1], s[s.size() - 2]);
  return s;
}

FloatPayload::FloatPayload(const ModelData& model, const Constant& c)
    : type_(c.stored_type()) {
  if (c.reordered) {
    owner_ = c.reordered;
    payload_ = *c.reordered;
  } else if (c.tensor->has_blob() && !model.blobs.at(c.tensor->blob()).lazy) {
    const Blob& blob = model.blobs[c.tensor->blob()];
    owner_ = blob.keep_alive;
    payload_ = blob.view;
    mapped_ = blob.file != nullptr;
  } else {
    auto copy = std::make_shared<std::vector<std::byte>>();
    const Bytes bytes = payload(model, *c.tensor, *copy);
    if (bytes.data() != copy->data()) copy->assign(bytes.begin(), bytes.end());
    payload_ = *copy;
    owner_ = std::move(copy);
  }
  const Shape shape = payload_shape(c);
  const int rank = static_cast<int>(shape.size());
  if (rank == 1) rows_ = extent(shape, 0);
  if (rank >= 2) {
    rows_ = extent(shape, rank - 2);
    cols_ = extent(shape, rank - 1);
  }
}

const float* FloatPayload::read(uint64_t element, size_t count,
                                std::vector<float>& buffer) const {
  const size_t width = static_cast<size_t>(dtype_bits(type_)) / 8;
  const Bytes from = payload_.subspan(element * width, count * width);
  if (type_ == DType::float32)
    return reinterpret_cast<const float*>(from.data());
  buffer.resize(std::max(buffer.size(), count));
  if (type_ == DType::float16) {
    decode_float16(from, {buffer.data(), count});
  } else if (type_ == DType::bfloat16) {
    decode_bfloat16(from, {buffer.data(), count});
  } else {
    for (size_t i = 0; i < count; ++i) {
      double v;
      std::memcpy(&v, from.data() + i * sizeof v, sizeof v);
      buffer[i] = static_cast<float>(v);
    }
  }
  return buffer.data();
}

void FloatPayload::drop(uint64_t element, uint64_t count) const {
  if (!mapped_ || payload_.size() < kLarge) return;
  const uint64_t width = static_cast<uint64_t>(dtype_bits(type_)) / 8;
  drop_pages(payload_.subspan(element * width, count * width));
}

void FloatPayload::release() const {
  if (mapped_) drop_pages(payload_);
}

}  // namespace octavo
