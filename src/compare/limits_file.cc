// Limits from a TOML file.
#include <fmt/format.h>

#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <string>

#include "octavo/error.h"
#include "octavo/limits.h"
#include "runtime/byte_source.h"

namespace octavo {
namespace {

constexpr int64_t kMostBytes = 1 << 20;

toml::table parsed(const std::string& text, const std::string& name) {
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& e) {
    throw Error(ErrorKind::format, fmt::format("{} is no TOML, in line {}: {}",
                                               name, e.source().begin.line,
                                               std::string(e.description())));
  }
}

}  // namespace

std::vector<Limit> load_limits(const std::filesystem::path& path) {
  const auto source = open_file_source(path);
  if (source->size() > kMostBytes)
    throw Error(ErrorKind::limit,
                fmt::format("{} has {} bytes; a file of limits may have {}",
                            source->name(), source->size(), kMostBytes));
  std::string text(static_cast<size_t>(source->size()), '\0');
  source->read(0, std::as_writable_bytes(std::span(text)));
  const toml::table table = parsed(text, source->name());
  const auto wrong = [&](const std::string& what) {
    return Error(ErrorKind::format,
                 fmt::format("{} {}; it holds one list: require = "
                             "[\"logits.cosine >= 0.999\", \"flips <= 1%\"]",
                             source->name(), what));
  };
  for (const auto& [key, node] : table)
    if (key.str() != "require")
      throw wrong(fmt::format("has the key '{}'", std::string(key.str())));
  const toml::array* list = table["require"].as_array();
  if (!list || list->empty()) throw wrong("has no list 'require'");
  std::vector<Limit> limits;
  for (const toml::node& node : *list) {
    const auto* one = node.as_string();
    if (!one) throw wrong("has an entry that is no text");
    limits.push_back(parse_limit(one->get()));
  }
  return limits;
}

}  // namespace octavo
