// What was measured once, kept as a file for a build to be no worse than.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "octavo/error.h"
#include "octavo/limits.h"
#include "runtime/byte_source.h"

namespace octavo {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kSchema = "octavo.baseline/1";
constexpr int64_t kMostBytes = int64_t{64} << 20;

[[noreturn]] void broken(const std::string& name, const std::string& why) {
  throw Error(ErrorKind::format,
              fmt::format("{} is no baseline of octavo: {}; write one with "
                          "--save-baseline",
                          name, why));
}

// Infinite where all is equal: an SQNR.
Json number_json(double v) {
  return std::isinf(v) ? Json(v < 0 ? "-Infinity" : "Infinity") : Json(v);
}

// The worst value that is still no worse.
double bound_of(Scale scale, double base, double share) {
  switch (scale) {
    case Scale::one:
      return 1 - (1 - base) * (1 + share);
    case Scale::decibel:
      return base - 10 * std::log10(1 + share);
    case Scale::zero:
    case Scale::none:
      break;
  }
  return base * (1 + share);
}

}  // namespace

std::string baseline_text(const std::vector<Measurement>& measured,
                          int64_t samples) {
  Json j;
  j["schema"] = kSchema;
  j["samples"] = samples;
  j["measurements"] = Json::object();
  for (const Measurement& m : measured)
    if (m.scale != Scale::none && m.value && !std::isnan(*m.value))
      j["measurements"][m.name] = number_json(*m.value);
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Baseline load_baseline(const std::filesystem::path& path) {
  const auto source = open_file_source(path);
  if (source->size() > kMostBytes) broken(source->name(), "it is too long");
  std::string text(static_cast<size_t>(source->size()), '\0');
  source->read(0, std::as_writable_bytes(std::span(text)));
  const Json j = Json::parse(text, nullptr, false);
  if (!j.is_object() || j.value("schema", Json()) != kSchema)
    broken(source->name(), fmt::format("its schema is not {}", kSchema));
  if (!j.contains("samples") || !j["samples"].is_number_integer() ||
      !j.contains("measurements") || !j["measurements"].is_object())
    broken(source->name(), "samples or measurements are missing");
  Baseline out;
  out.samples = j["samples"].get<int64_t>();
  for (const auto& [name, value] : j["measurements"].items()) {
    if (value.is_number())
      out.values.emplace_back(name, value.get<double>());
    else if (value == "Infinity" || value == "-Infinity")
      out.values.emplace_back(name, value == "Infinity" ? INFINITY : -INFINITY);
    else
      broken(source->name(), fmt::format("'{}' is no number", name));
  }
  return out;
}

std::vector<Check> judge(const Baseline& baseline, double share,
                         const std::vector<Measurement>& measured,
                         const CompareResult& result) {
  if (result.samples != baseline.samples && !result.partial)
    throw Error(ErrorKind::usage,
                fmt::format("the baseline was measured on {} samples, this "
                            "comparison on {}; only like can be compared with "
                            "like: give the same samples, or write the "
                            "baseline anew with --save-baseline",
                            baseline.samples, result.samples));
  std::vector<Check> checks;
  for (const auto& [name, base] : baseline.values) {
    const Measurement* found = nullptr;
    for (const Measurement& m : measured)
      if (m.name == name && m.scale != Scale::none) found = &m;
    Check c;
    c.what = name;
    c.relation = "<=";
    c.limit = base;
    c.detail = fmt::format("the baseline has {}", base);
    if (!found) {
      c.detail += "; nothing of this name was measured now";
    } else {
      const bool higher = found->scale != Scale::zero;
      c.relation = higher ? ">=" : "<=";
      c.limit = bound_of(found->scale, base, share);
      c.measured = found->value;
      if (!found->fault.empty())
        c.detail += "; " + found->fault;
      else if (found->value)
        // As good as it was is good enough, however the bound was rounded.
        c.ok = higher ? *found->value >= std::min(c.limit, base)
                      : *found->value <= std::max(c.limit, base);
      else
        c.ok = found->nothing_differs;
    }
    checks.push_back(std::move(c));
  }
  return checks;
}

}  // namespace octavo
