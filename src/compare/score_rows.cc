#include "compare/score_rows.h"

#include "base/element.h"
#include "compare/element.h"

namespace octavo {
namespace {

void append(std::vector<double>& to, const Tensor& t, int64_t count) {
  const size_t first = to.size();
  to.resize(first + static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    to[first + static_cast<size_t>(i)] = element_value(t.type, t.bytes, i);
}

std::optional<ScoreRows> tensor_rows(const Tensor& t, const Place& place) {
  if (!is_float(t.type) || place.count <= 0) return std::nullopt;
  const int64_t elements = element_count(t.shape);
  const bool stacked = !t.shape.empty() && t.shape[0] == place.count;
  if (!stacked && place.count != 1) return std::nullopt;
  ScoreRows rows;
  rows.width = elements / place.count;
  rows.shape = t.shape;
  append(rows.values, t, elements);
  return rows;
}

bool is_zip_map(const Value& v) {
  return v.kind == ValueKind::map && v.items.size() == 2 &&
         v.items[0].kind == ValueKind::tensor &&
         v.items[1].kind == ValueKind::tensor &&
         is_float(v.items[1].tensor.type) &&
         (is_integer(v.items[0].tensor.type) ||
          v.items[0].tensor.type == DType::string) &&
         element_count(v.items[0].tensor.shape) ==
             element_count(v.items[1].tensor.shape);
}

// All maps must have the first one's keys in its order.
std::optional<ScoreRows> map_rows(std::span<const Value> maps,
                                  const Place& place) {
  if (std::ssize(maps) != place.count || maps.empty()) return std::nullopt;
  for (const Value& map : maps)
    if (!is_zip_map(map)) return std::nullopt;
  const Tensor& keys = maps[0].items[0].tensor;
  ScoreRows rows;
  rows.width = element_count(keys.shape);
  for (const Value& map : maps) {
    const Tensor& own = map.items[0].tensor;
    if (own.type != keys.type || own.bytes != keys.bytes ||
        own.strings != keys.strings)
      return std::nullopt;
    append(rows.values, map.items[1].tensor, rows.width);
  }
  rows.names = keys.strings;
  if (rows.names.empty())
    for (int64_t i = 0; i < rows.width; ++i)
      rows.keys.push_back(integer_at(keys.type, keys.bytes, i));
  return rows;
}

}  // namespace

std::optional<ScoreRows> score_rows(const Value& value, const Place& place) {
  switch (value.kind) {
    case ValueKind::tensor:
      return tensor_rows(value.tensor, place);
    case ValueKind::sequence:
      return map_rows(value.items, place);
    case ValueKind::map:
      return map_rows(std::span(&value, 1), place);
    case ValueKind::none:
      break;
  }
  return std::nullopt;
}

std::optional<ClassColumn> class_column(const Value& value,
                                        const Place& place) {
  if (value.kind != ValueKind::tensor) return std::nullopt;
  const Tensor& t = value.tensor;
  if (element_count(t.shape) != place.count) return std::nullopt;
  ClassColumn column;
  if (t.type == DType::string) {
    column.texts = t.strings;
    return column;
  }
  if (!is_integer(t.type) && t.type != DType::boolean) return std::nullopt;
  for (int64_t i = 0; i < place.count; ++i)
    column.numbers.push_back(integer_at(t.type, t.bytes, i));
  return column;
}

}  // namespace octavo
