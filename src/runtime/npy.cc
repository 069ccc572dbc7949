#include "runtime/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/element.h"
#include "base/utf.h"
#include "octavo/error.h"
#include "runtime/npy_header.h"

namespace octavo {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// A header is a line; a mebibyte is far beyond any that numpy writes.
constexpr int64_t kMaxHeader = 1 << 20;
// Strings of width 0 take no bytes in the file, so its size bounds nothing.
constexpr int64_t kMaxEmptyTexts = 1 << 20;

[[noreturn]] void broken(const ByteSource& source, const std::string& why) {
  throw Error(ErrorKind::format,
              fmt::format("{} is not a sound .npy array: {}; save it again "
                          "with numpy.save.",
                          source.name(), why));
}

[[noreturn]] void refused(const ByteSource& source, const std::string& descr,
                          const std::string& advice) {
  throw Error(ErrorKind::unsupported,
              fmt::format("{} holds elements of numpy type '{}', which no ONNX "
                          "type matches; {}.",
                          source.name(), descr.substr(0, 60), advice));
}

// Types by numpy's kind and width.
DType plain_type(char kind, int64_t width) {
  struct Row {
    char kind;
    int64_t width;
    DType type;
  };
  constexpr Row kRows[] = {
      {'f', 2, DType::float16},   {'f', 4, DType::float32},
      {'f', 8, DType::float64},   {'i', 1, DType::int8},
      {'i', 2, DType::int16},     {'i', 4, DType::int32},
      {'i', 8, DType::int64},     {'u', 1, DType::uint8},
      {'u', 2, DType::uint16},    {'u', 4, DType::uint32},
      {'u', 8, DType::uint64},    {'b', 1, DType::boolean},
      {'c', 8, DType::complex64}, {'c', 16, DType::complex128},
  };
  for (const Row& row : kRows)
    if (row.kind == kind && row.width == width) return row.type;
  return DType::undefined;
}

void parse_descr(const ByteSource& source, std::string_view descr,
                 NpyHeader& out) {
  const std::string all(descr);
  if (!descr.empty() && descr[0] == '[')
    refused(source, all.substr(1), "save each field as an array of its own");
  char order = '|';
  if (!descr.empty() &&
      std::string_view("<>|=").find(descr[0]) != std::string_view::npos) {
    order = descr[0];
    descr.remove_prefix(1);
  }
  if (descr.empty()) broken(source, "its header names no element type");
  const char kind = descr[0];
  if (kind == 'O')
    refused(source, all,
            "it is a pickle of Python objects, which is never loaded; save it "
            "as numbers or text, as in numpy.save(f, a.astype('float32')) or "
            "a.astype(str)");
  descr.remove_prefix(1);
  int64_t width = -1;
  const auto parsed =
      std::from_chars(descr.data(), descr.data() + descr.size(), width);
  if (parsed.ec != std::errc() || parsed.ptr != descr.data() + descr.size() ||
      width < 0 || width > (int64_t{1} << 31))
    refused(source, all, "convert it with astype before saving");
  out.swapped = order == '>';
  out.item_bytes = width;
  if (kind == 'U' || kind == 'S' || kind == 'a') {
    out.type = DType::string;
    out.text = kind == 'U' ? NpyHeader::Text::utf32 : NpyHeader::Text::bytes;
    if (kind == 'U') out.item_bytes = 4 * width;
    return;
  }
  if (kind == 'V')
    refused(source, all,
            "save bfloat16 and 8-bit floats as an ONNX TensorProto (.pb)");
  out.type = plain_type(kind, width);
  if (out.type == DType::undefined)
    refused(source, all, "convert it with astype before saving");
}

// Fortran order to row-major for items of `width` bytes.
std::vector<std::byte> to_row_major(const std::vector<std::byte>& in,
                                    const Shape& shape, size_t width) {
  const size_t rank = shape.size();
  std::vector<size_t> stride(rank, 1);  // in items, of the Fortran layout
  for (size_t k = 1; k < rank; ++k)
    stride[k] = stride[k - 1] * static_cast<size_t>(shape[k - 1]);
  std::vector<std::byte> out(in.size());
  std::vector<int64_t> at(rank, 0);
  size_t from = 0;
  for (size_t to = 0; to + width <= out.size() && width > 0; to += width) {
    std::memcpy(out.data() + to, in.data() + from * width, width);
    for (size_t k = rank; k-- > 0;) {  // the last index runs fastest
      from += stride[k];
      if (++at[k] < shape[k]) break;
      from -= stride[k] * static_cast<size_t>(shape[k]);
      at[k] = 0;
    }
  }
  return out;
}

void swap_bytes(std::vector<std::byte>& bytes, size_t width) {
  for (size_t i = 0; width > 1 && i + width <= bytes.size(); i += width)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + width));
}

std::string text_of(const ByteSource& source, const NpyHeader& header,
                    const std::byte* item) {
  std::string out;
  if (header.text == NpyHeader::Text::bytes) {
    out.assign(reinterpret_cast<const char*>(item),
               static_cast<size_t>(header.item_bytes));
    while (!out.empty() && out.back() == '\0') out.pop_back();
    return out;
  }
  size_t points = static_cast<size_t>(header.item_bytes) / 4;
  const auto point = [&](size_t i) {
    uint32_t c = 0;
    std::memcpy(&c, item + 4 * i, 4);
    return c;
  };
  while (points > 0 && point(points - 1) == 0) --points;
  for (size_t i = 0; i < points; ++i)
    if (!append_utf8(point(i), out))
      broken(source, fmt::format("its text holds {:#x}, which is no character",
                                 point(i)));
  return out;
}

// Raw items of the file, made into a tensor.
Tensor decode(const ByteSource& source, const NpyHeader& header, Shape shape,
              std::vector<std::byte> raw) {
  if (header.swapped) {
    size_t width = static_cast<size_t>(header.item_bytes);
    if (header.text == NpyHeader::Text::utf32) width = 4;
    if (header.text == NpyHeader::Text::bytes) width = 1;
    if (header.type == DType::complex64 || header.type == DType::complex128)
      width /= 2;
    swap_bytes(raw, width);
  }
  if (header.fortran_order)
    raw = to_row_major(raw, shape, static_cast<size_t>(header.item_bytes));
  Tensor out;
  out.type = header.type;
  out.shape = std::move(shape);
  if (header.text != NpyHeader::Text::no) {
    const int64_t count = element_count(out.shape);
    out.strings.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i)
      out.strings.push_back(
          text_of(source, header, raw.data() + i * header.item_bytes));
    return out;
  }
  if (header.type == DType::boolean)
    for (std::byte& b : raw) b = std::byte{b != std::byte{0}};
  out.bytes = std::move(raw);
  return out;
}

std::vector<std::byte> read_bytes(const ByteSource& source, int64_t offset,
                                  int64_t size) {
  std::vector<std::byte> out(static_cast<size_t>(size));
  if (size > 0) source.read(offset, out);
  return out;
}

}  // namespace

NpyHeader read_npy_header(const ByteSource& source) {
  if (source.size() < 10) broken(source, "it is shorter than a header");
  const auto start =
      read_bytes(source, 0, std::min<int64_t>(12, source.size()));
  if (std::memcmp(start.data(), kMagic.data(), kMagic.size()) != 0)
    broken(source, "it does not begin with numpy's signature");
  const auto at = [&](size_t i) { return static_cast<int64_t>(start[i]); };
  const int64_t version = at(6);
  if (version < 1 || version > 3)
    broken(source, fmt::format("its format version is {}, where 1 to 3 are "
                               "known",
                               version));
  const int64_t begin = version == 1 ? 10 : 12;
  if (source.size() < begin) broken(source, "it is shorter than a header");
  const int64_t length = version == 1
                             ? at(8) | at(9) << 8
                             : at(8) | at(9) << 8 | at(10) << 16 | at(11) << 24;
  if (length > kMaxHeader || length > source.size() - begin)
    broken(source, fmt::format("its header claims {} bytes", length));

  const auto raw = read_bytes(source, begin, length);
  std::string why;
  const auto dict = parse_npy_dict(
      {reinterpret_cast<const char*>(raw.data()), raw.size()}, why);
  if (!dict) broken(source, "in its header, " + why);
  NpyHeader out;
  parse_descr(source, dict->descr, out);
  out.shape = dict->shape;
  out.fortran_order = dict->fortran_order && dict->shape.size() > 1;
  out.data_offset = begin + length;
  const int64_t count = element_count(out.shape);
  const int64_t there = source.size() - out.data_offset;
  if (out.item_bytes == 0 && count > kMaxEmptyTexts)
    broken(source, fmt::format("its header claims {} empty texts", count));
  int64_t needed = 0;
  if (__builtin_mul_overflow(count, out.item_bytes, &needed) || needed > there)
    broken(source,
           fmt::format("its header claims {} of '{}', and {} bytes follow",
                       shape_text(out.shape), dict->descr, there));
  return out;
}

Tensor read_npy(const ByteSource& source, const NpyHeader& header) {
  const int64_t size = element_count(header.shape) * header.item_bytes;
  return decode(source, header, header.shape,
                read_bytes(source, header.data_offset, size));
}

Tensor read_npy_rows(const ByteSource& source, const NpyHeader& header,
                     int64_t first, int64_t count) {
  Shape shape = header.shape;
  shape[0] = 1;
  const int64_t row = element_count(shape) * header.item_bytes;
  shape[0] = count;
  return decode(
      source, header, std::move(shape),
      read_bytes(source, header.data_offset + first * row, count * row));
}

}  // namespace octavo
