#include "compare/rows.h"

#include <cstring>
#include <utility>

namespace octavo {
namespace {

// What stands before and within an axis, in bytes of one element's row.
struct Axis {
  int64_t outer = 1;
  size_t inner = 1;  // bytes of one step along the axis
};

Axis axis_of(const Tensor& t, size_t axis) {
  Axis a;
  for (size_t i = 0; i < axis; ++i) a.outer *= t.shape[i];
  const int64_t steps = a.outer * t.shape.at(axis);
  a.inner = steps > 0 ? t.bytes.size() / static_cast<size_t>(steps) : 0;
  return a;
}

}  // namespace

std::optional<Tensor> row_of(const Value& value, int64_t index, int64_t count) {
  if (value.kind != ValueKind::tensor) return std::nullopt;
  const Tensor& t = value.tensor;
  if (t.shape.empty() || t.shape[0] != count || count < 1) return std::nullopt;
  // Rows of 4-bit elements may not begin at a byte.
  if (t.bytes.size() % static_cast<size_t>(count) != 0) return std::nullopt;
  Tensor out;
  out.type = t.type;
  out.shape = t.shape;
  out.shape[0] = 1;
  const auto take = [&](const auto& from, auto& to) {
    const auto width = from.size() / static_cast<size_t>(count);
    const auto begin =
        from.begin() + static_cast<std::ptrdiff_t>(width) * index;
    to.assign(begin, begin + static_cast<std::ptrdiff_t>(width));
  };
  if (t.type == DType::string)
    take(t.strings, out.strings);
  else
    take(t.bytes, out.bytes);
  return out;
}

std::optional<Feed> row_of(const Feed& feed, int64_t index, int64_t count) {
  Feed out;
  for (const auto& [name, value] : feed.inputs) {
    auto row = row_of(value, index, count);
    if (!row) return std::nullopt;
    out.inputs.emplace_back(name, std::move(*row));
  }
  return out;
}

std::optional<Feed> stacked(std::span<const Feed> rows) {
  Feed out = rows[0];
  for (const Feed& feed : rows.subspan(1)) {
    if (feed.inputs.size() != out.inputs.size()) return std::nullopt;
    for (size_t i = 0; i < out.inputs.size(); ++i) {
      Tensor& to = out.inputs[i].second.tensor;
      const Tensor& from = feed.inputs[i].second.tensor;
      if (from.type != to.type || from.shape.size() != to.shape.size() ||
          !std::equal(from.shape.begin() + 1, from.shape.end(),
                      to.shape.begin() + 1))
        return std::nullopt;
      to.shape[0] += from.shape[0];
      to.bytes.insert(to.bytes.end(), from.bytes.begin(), from.bytes.end());
      to.strings.insert(to.strings.end(), from.strings.begin(),
                        from.strings.end());
    }
  }
  return out;
}

Tensor padded(const Tensor& t, size_t axis, int64_t extra, Bytes fill) {
  const Axis a = axis_of(t, axis);
  Tensor out;
  out.type = t.type;
  out.shape = t.shape;
  out.shape[axis] += extra;
  out.bytes.resize(static_cast<size_t>(byte_size(out.type, out.shape)));
  const size_t old_row = a.inner * static_cast<size_t>(t.shape[axis]);
  const size_t row = a.inner * static_cast<size_t>(out.shape[axis]);
  for (size_t o = 0; o < static_cast<size_t>(a.outer); ++o) {
    std::byte* to = out.bytes.data() + o * row;
    std::memcpy(to, t.bytes.data() + o * old_row, old_row);
    for (size_t at = old_row; at < row; at += fill.size())
      std::memcpy(to + at, fill.data(), fill.size());
  }
  return out;
}

Tensor cut(const Tensor& t, size_t axis, int64_t length) {
  const Axis a = axis_of(t, axis);
  Tensor out;
  out.type = t.type;
  out.shape = t.shape;
  out.shape[axis] = length;
  const size_t old_row = a.inner * static_cast<size_t>(t.shape[axis]);
  const size_t row = a.inner * static_cast<size_t>(length);
  for (size_t o = 0; o < static_cast<size_t>(a.outer); ++o) {
    const auto begin =
        t.bytes.begin() + static_cast<std::ptrdiff_t>(o * old_row);
    out.bytes.insert(out.bytes.end(), begin,
                     begin + static_cast<std::ptrdiff_t>(row));
  }
  return out;
}

}  // namespace octavo
