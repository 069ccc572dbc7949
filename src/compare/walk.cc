#include "compare/walk.h"

#include <fmt/format.h>

#include <algorithm>

namespace octavo {
namespace {

constexpr size_t kOwnItems = 16;

const char* kind_text(ValueKind kind) {
  switch (kind) {
    case ValueKind::tensor:
      return "a tensor";
    case ValueKind::sequence:
      return "a sequence";
    case ValueKind::map:
      return "a map";
    case ValueKind::none:
      break;
  }
  return "nothing";
}

// The paths of a value: `name` groups statistics, `place.path` is exact.
void walk(PartStats& stats, const Value& r, const Value& c, const Place& place,
          const std::string& name);

void walk_sequence(PartStats& stats, const Value& r, const Value& c,
                   const Place& place, const std::string& name) {
  if (r.items.size() != c.items.size())
    return record_failure(
        stats.part(name), place.batch,
        fmt::format("{} has {} items in the original and {} in the copy",
                    place.path, r.items.size(), c.items.size()));
  if (r.items.empty()) ++stats.part(name).batches;
  for (size_t i = 0; i < r.items.size(); ++i) {
    Place item = place;
    item.path = fmt::format("{}[{}]", place.path, i);
    walk(stats, r.items[i], c.items[i], item,
         i < kOwnItems ? fmt::format("{}[{}]", name, i)
                       : fmt::format("{}[{}...]", name, kOwnItems));
  }
}

bool same_keys(const Tensor& a, const Tensor& b) {
  return a.type == b.type && a.shape == b.shape && a.bytes == b.bytes &&
         a.strings == b.strings;
}

void walk_map(PartStats& stats, const Value& r, const Value& c,
              const Place& place, const std::string& name) {
  if (r.items.size() != 2 || c.items.size() != 2)
    return record_failure(
        stats.part(name), place.batch,
        fmt::format("{} is a map without keys and values", place.path));
  const Tensor& a = r.items[0].tensor;
  const Tensor& b = c.items[0].tensor;
  if (!same_keys(a, b))
    return record_failure(
        stats.part(name), place.batch,
        fmt::format("{} has other keys in the copy than in the original ({} "
                    "keys of {} there, {} of {} here)",
                    place.path, element_count(a.shape), dtype_name(a.type),
                    element_count(b.shape), dtype_name(b.type)));
  Place values = place;
  values.path += ".values";
  walk(stats, r.items[1], c.items[1], values, name + ".values");
}

void walk(PartStats& stats, const Value& r, const Value& c, const Place& place,
          const std::string& name) {
  if (r.kind != c.kind)
    return record_failure(
        stats.part(name), place.batch,
        fmt::format("{} is {} in the original and {} in the copy", place.path,
                    kind_text(r.kind), kind_text(c.kind)));
  switch (r.kind) {
    case ValueKind::tensor:
      return update(stats.part(name), r.tensor, c.tensor, place);
    case ValueKind::sequence:
      return walk_sequence(stats, r, c, place, name);
    case ValueKind::map:
      return walk_map(stats, r, c, place, name);
    case ValueKind::none:
      ++stats.part(name).batches;
  }
}

}  // namespace

OutputStats& PartStats::part(const std::string& name) {
  const auto found = std::find_if(
      parts.begin(), parts.end(),
      [&](const OutputStats& stats) { return stats.name == name; });
  if (found != parts.end()) return *found;
  OutputStats& part = parts.emplace_back();
  part.name = name;
  part.views.views = views;
  return part;
}

void walk(PartStats& stats, const Value& r, const Value& c,
          const Place& place) {
  walk(stats, r, c, place, place.path);
}

}  // namespace octavo
