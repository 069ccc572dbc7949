// Rules that all of Octavo's JSON documents follow: one object, its "schema"
// first; a measure that is undefined is null; NaN and infinities, which JSON
// has no numbers for, are the strings "NaN", "Infinity" and "-Infinity";
// 64-bit integers are numbers, exactly.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace octavo {

using Json = nlohmann::ordered_json;

inline Json json_number(double v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v < 0 ? "-Infinity" : "Infinity";
  return v;
}

inline Json json_number(const std::optional<double>& v) {
  return v ? json_number(*v) : Json(nullptr);
}

// Two spaces of indent and a newline at the end. Bytes that are no UTF-8 (a
// model may name things as it likes) become U+FFFD.
inline std::string json_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace octavo
