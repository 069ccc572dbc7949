// Writing .npy.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/element.h"
#include "base/utf.h"
#include "octavo/error.h"
#include "runtime/npy.h"

namespace octavo {
namespace {

std::string descr_of(DType type) {
  switch (type) {
    case DType::float16:
      return "<f2";
    case DType::float32:
      return "<f4";
    case DType::float64:
      return "<f8";
    case DType::int8:
      return "|i1";
    case DType::int16:
      return "<i2";
    case DType::int32:
      return "<i4";
    case DType::int64:
      return "<i8";
    case DType::uint8:
      return "|u1";
    case DType::uint16:
      return "<u2";
    case DType::uint32:
      return "<u4";
    case DType::uint64:
      return "<u8";
    case DType::boolean:
      return "|b1";
    case DType::complex64:
      return "<c8";
    case DType::complex128:
      return "<c16";
    default:
      throw Error(
          ErrorKind::unsupported,
          fmt::format("numpy has no type for {} elements.", dtype_name(type)));
  }
}

std::vector<std::byte> with_header(const std::string& descr, const Shape& shape,
                                   size_t data_bytes, size_t least = 0) {
  const std::string sizes = shape.size() == 1
                                ? fmt::format("({},)", shape[0])
                                : fmt::format("({})", fmt::join(shape, ", "));
  std::string dict = fmt::format(
      "{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, sizes);
  // The whole header is a multiple of 64 bytes and ends with a newline.
  const size_t begin = dict.size() + 64 + 10 > 65535 ? 12 : 10;
  while ((begin + dict.size() + 1) % 64 != 0 || begin + dict.size() + 1 < least)
    dict += ' ';
  dict += '\n';
  std::string head = "\x93NUMPY";
  head += begin == 12 ? '\x02' : '\x01';
  head += '\0';
  for (size_t k = 0; k < begin - 8; ++k)
    head += static_cast<char>((dict.size() >> (8 * k)) & 0xFF);
  head += dict;
  std::vector<std::byte> out(head.size() + data_bytes);
  std::memcpy(out.data(), head.data(), head.size());
  return out;
}

std::vector<std::byte> text_bytes(const Tensor& tensor) {
  std::vector<std::vector<uint32_t>> points;
  size_t widest = 1, longest = 1;
  bool utf8 = true;
  for (const std::string& text : tensor.strings) {
    longest = std::max(longest, text.size());
    auto decoded = utf8_code_points(text);
    utf8 = utf8 && decoded.has_value();
    if (!utf8) continue;
    widest = std::max(widest, decoded->size());
    points.push_back(std::move(*decoded));
  }
  const size_t width = utf8 ? 4 * widest : longest;
  const size_t data = width * tensor.strings.size();
  std::vector<std::byte> out = with_header(
      utf8 ? fmt::format("<U{}", widest) : fmt::format("|S{}", longest),
      tensor.shape, data);
  std::byte* at = out.data() + out.size() - data;
  for (size_t i = 0; i < tensor.strings.size(); ++i, at += width) {
    const auto* from = utf8
                           ? static_cast<const void*>(points[i].data())
                           : static_cast<const void*>(tensor.strings[i].data());
    const size_t size = utf8 ? 4 * points[i].size() : tensor.strings[i].size();
    if (size > 0) std::memcpy(at, from, size);
  }
  return out;
}

}  // namespace

std::vector<std::byte> npy_header_bytes(DType type, const Shape& shape,
                                        size_t least) {
  return with_header(descr_of(type), shape, 0, least);
}

std::vector<std::byte> npy_bytes(const Tensor& tensor) {
  if (tensor.type == DType::string) return text_bytes(tensor);
  std::optional<Tensor> wide;
  if (widened_type(tensor.type) != tensor.type) wide = widen(tensor);
  const Tensor& source = wide ? *wide : tensor;
  std::vector<std::byte> out =
      with_header(descr_of(source.type), source.shape, source.bytes.size());
  std::copy(source.bytes.begin(), source.bytes.end(),
            out.end() - static_cast<std::ptrdiff_t>(source.bytes.size()));
  return out;
}

}  // namespace octavo
