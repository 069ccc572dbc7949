#include "check/missing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

namespace octavo {
namespace {

// From which release on ONNX Runtime loads what, tried with its releases 1.16.3
// to 1.32.0 for the CPU.
struct Since {
  int64_t version;
  std::string_view release;
};
constexpr Since kOpsets[] = {{19, "1.16"}, {20, "1.17"}, {21, "1.18"},
                             {22, "1.21"}, {23, "1.23"}, {25, "1.24"},
                             {26, "1.25"}, {27, "1.32"}};
constexpr Since kIrVersions[] = {
    {9, "1.16"}, {10, "1.18"}, {11, "1.23"}, {13, "1.24"}, {14, "1.32"}};

// The operators that copies are written with.
struct Operator {
  std::string_view name;
  std::string_view release;  // that has it for all types that are written
  std::string_view types;    // which of these came last
};
constexpr Operator kOperators[] = {
    {"ConvInteger", "1.24", " for int8 weights"},
    {"DynamicQuantizeLSTM", "1.16", ""},
    {"DynamicQuantizeLinear", "1.16", ""},
    {"MatMulInteger", "1.16", ""},
    {"QAttention", "1.16", ""},
    {"QEmbedLayerNormalization", "1.16", ""},
};

// What stands in `text` after `before`, up to one of `ends`.
std::optional<std::string_view> between(std::string_view text,
                                        std::string_view before,
                                        std::string_view ends) {
  const size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + before.size());
  const size_t end = text.find_first_of(ends);
  if (end == std::string_view::npos || end == 0) return {};
  return text.substr(0, end);
}

std::optional<int64_t> number_after(std::string_view text,
                                    std::string_view before) {
  const size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  int64_t value = 0;
  const char* begin = text.data() + at + before.size();
  const auto got = std::from_chars(begin, text.data() + text.size(), value);
  if (got.ec != std::errc()) return {};
  return value;
}

// ", which 1.23 knows", or "" where no release is known to.
template <size_t N>
std::string known_by(const Since (&table)[N], int64_t version) {
  for (const Since& row : table)
    if (version <= row.version)
      return fmt::format(", which {} knows", row.release);
  return "";
}

// ", which 1.24 has for int8 weights"; "" for operators that are not ours.
std::string had_by(std::string_view name, bool registered) {
  const auto* row =
      std::find_if(std::begin(kOperators), std::end(kOperators),
                   [&](const Operator& o) { return o.name == name; });
  if (row == std::end(kOperators)) return "";
  if (registered)
    return fmt::format(", which {} has{}", row->release, row->types);
  return ", which every release from 1.16 on has: this one was built without "
         "it";
}

std::string too_new(std::string_view words) {
  if (const auto known =
          number_after(words,
                       "Current official support for domain ai.onnx is "
                       "till opset "))
    if (const auto has = number_after(words, "Opset "))
      return fmt::format("knows opsets up to {}, and the model has {}{}",
                         *known, *has, known_by(kOpsets, *has));
  if (const auto known = number_after(words, "max supported IR version: "))
    if (const auto has = number_after(words, "Unsupported model IR version: "))
      return fmt::format("knows IR versions up to {}, and the model has {}{}",
                         *known, *has, known_by(kIrVersions, *has));
  return "";
}

}  // namespace

std::string missing_in(std::string_view words) {
  if (std::string text = too_new(words); !text.empty()) return text;
  if (const auto op =
          between(words, "Could not find an implementation for ", " \n")) {
    const auto name = op->substr(0, op->find('('));
    return fmt::format("has no {} for these types{}", *op, had_by(name, true));
  }
  if (const auto op = between(words, "No Op registered for ", " \n"))
    return fmt::format("has no {}{}", *op, had_by(*op, false));
  const size_t at = words.find(" is not a registered function/op");
  if (at == std::string_view::npos) return "";
  const std::string_view before = words.substr(0, at);
  const size_t space = before.rfind(' ');
  std::string_view op =
      before.substr(space == std::string_view::npos ? 0 : space + 1);
  op = op.substr(0, op.find('('));
  const size_t colon = op.find(':');
  const std::string_view domain = op.substr(0, std::min(colon, op.size()));
  const std::string_view name =
      colon == std::string_view::npos ? op : op.substr(colon + 1);
  return fmt::format("has no {} of {}{}", name, domain, had_by(name, false));
}

}  // namespace octavo
