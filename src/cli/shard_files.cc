#include "cli/shard_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "model/mapped_file.h"
#include "octavo/error.h"

namespace octavo::cli {
namespace {

constexpr ReportKind kStats{"--save-stats", "file of statistics of octavo",
                            "octavo.stats/"};

// 0 for what is no number: a file may say anything.
uint64_t number(const std::string& text) {
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

StatsFile::StatsFile(const std::string& path) : file_(path, kStats) {}

void StatsFile::write(const std::vector<std::byte>& bytes) {
  file_.write(
      std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void describe(CompareShard& shard, const Question& question,
              const std::filesystem::path& copy) {
  for (const auto& [name, value] : question)
    shard.same[name == "model" ? "originals" : name] = value;
  shard.same["copies"] = sha256_of_file(copy);
}

void show(CompareShard& shard, const CompareContext& c) {
  auto& s = shard.shown;
  s["original"] = c.original;
  s["copy"] = c.copy;
  s["original_bytes"] = fmt::format("{}", c.original_bytes);
  s["copy_bytes"] = fmt::format("{}", c.copy_bytes);
  s["runtime_version"] = c.runtime_version;
  s["runtime_library"] = c.runtime_library;
  s["providers"] = fmt::format("{}", fmt::join(c.providers, ","));
  s["threads"] = fmt::format("{}", c.threads);
}

CompareContext shown(const CompareShard& shard) {
  const auto text = [&](const char* name) {
    const auto it = shard.shown.find(name);
    return it == shard.shown.end() ? std::string() : it->second;
  };
  CompareContext c;
  c.original = text("original");
  c.copy = text("copy");
  c.original_bytes = number(text("original_bytes"));
  c.copy_bytes = number(text("copy_bytes"));
  c.runtime_version = text("runtime_version");
  c.runtime_library = text("runtime_library");
  c.providers.clear();
  std::string rest = text("providers");
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    c.providers.push_back(rest.substr(0, comma));
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  c.threads = static_cast<int>(number(text("threads")) % 100000);
  return c;
}

CompareShard load_shard(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  try {
    return shard_from_bytes(file->bytes());
  } catch (const Error& e) {
    throw Error(e.kind(), fmt::format("'{}': {}", path.string(), e.what()));
  }
}

}  // namespace octavo::cli
