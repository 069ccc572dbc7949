// Elements of a floating tensor (parts of complex ones) as doubles, a piece at
// a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/element.h"
#include "base/half.h"
#include "octavo/tensor.h"

namespace octavo {

class Decoder {
 public:
  static constexpr int64_t kPiece = 1024;

  Decoder(DType type, Bytes bytes) : type_(type), bytes_(bytes) {}

  // `count` elements from `begin` on, as many as are wanted.
  void read(int64_t begin, int64_t count, double* out) {
    for (int64_t at = 0; at < count; at += kPiece)
      piece(begin + at, std::min(kPiece, count - at), out + at);
  }

 private:
  void piece(int64_t begin, int64_t count, double* out) {
    const auto n = static_cast<size_t>(count);
    const auto at = [&](size_t width) {
      return bytes_.subspan(static_cast<size_t>(begin) * width, n * width);
    };
    switch (type_) {
      case DType::float64:
      case DType::complex128:
        std::memcpy(out, at(8).data(), n * 8);
        return;
      case DType::float16:
        decode_float16(at(2), std::span(floats_).first(n));
        break;
      case DType::bfloat16:
        decode_bfloat16(at(2), std::span(floats_).first(n));
        break;
      case DType::float32:
      case DType::complex64:
        std::memcpy(floats_.data(), at(4).data(), n * 4);
        break;
      default:  // 8- and 4-bit floats
        for (size_t i = 0; i < n; ++i)
          out[i] =
              element_value(type_, bytes_, begin + static_cast<int64_t>(i));
        return;
    }
    for (size_t i = 0; i < n; ++i) out[i] = static_cast<double>(floats_[i]);
  }

  DType type_;
  Bytes bytes_;
  std::array<float, kPiece> floats_;
};

}  // namespace octavo
