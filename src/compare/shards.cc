#include "octavo/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "compare/comparison.h"
#include "compare/pack.h"
#include "octavo/error.h"

namespace octavo {
namespace {

// The first line of such a file; a number for each change of the rest.
constexpr std::string_view kMagic = "octavo.stats/1\n";

using Facts = std::map<std::string, std::string>;

void put(Packer& out, const Facts& facts) {
  out.put(static_cast<uint64_t>(facts.size()));
  for (const auto& [name, value] : facts) out.put(name), out.put(value);
}

Facts facts(Unpacker& in) {
  Facts out;
  const uint64_t n = in.count(2 * sizeof(uint64_t));
  for (uint64_t i = 0; i < n; ++i) {
    const auto name = in.get<std::string>();
    out[name] = in.get<std::string>();
  }
  return out;
}

// The name of what differs; empty: nothing.
std::string difference(const Facts& a, const Facts& b) {
  for (const auto* side : {&a, &b})
    for (const auto& [name, value] : *side) {
      const auto x = a.find(name), y = b.find(name);
      if (x == a.end() || y == b.end() || x->second != y->second) return name;
    }
  return "";
}

}  // namespace

std::vector<std::byte> to_bytes(const CompareShard& shard) {
  Packer out;
  for (const char c : kMagic) out.put(c);
  out.put(shard.index), out.put(shard.count);
  put(out, shard.same);
  put(out, shard.shown);
  out.put(to_bytes(*shard.stats));
  return out.take();
}

CompareShard shard_from_bytes(Bytes bytes) {
  if (bytes.size() < kMagic.size() ||
      std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    throw Error(ErrorKind::format,
                "it is no file of statistics of this version of octavo; "
                "`octavo compare --save-stats` writes one");
  Unpacker in(bytes.subspan(kMagic.size()));
  CompareShard shard;
  in.get(shard.index), in.get(shard.count);
  if (shard.index < 1 || shard.count < shard.index || shard.count > kMostShards)
    Unpacker::broken();
  shard.same = facts(in);
  shard.shown = facts(in);
  shard.stats =
      std::make_shared<ComparisonStats>(comparison_stats_from_bytes(in.blob()));
  if (!in.done()) Unpacker::broken();
  return shard;
}

CompareResult merge_shards(std::vector<CompareShard> shards,
                           const CompareOptions& options) {
  if (shards.empty())
    throw Error(ErrorKind::usage, "there are no statistics to merge");
  for (const CompareShard& s : shards)
    if (const std::string name = difference(shards[0].same, s.same);
        !name.empty())
      throw Error(
          ErrorKind::usage,
          fmt::format("shard {} is of another comparison than shard {}: their "
                      "{} differ; merge shards of one run only",
                      s.index, shards[0].index, name));
  std::stable_sort(shards.begin(), shards.end(),
                   [](const CompareShard& a, const CompareShard& b) {
                     return a.index < b.index;
                   });
  for (int64_t i = 1; i <= shards[0].count; ++i) {
    const auto there =
        std::count_if(shards.begin(), shards.end(),
                      [i](const CompareShard& s) { return s.index == i; });
    if (there != 1)
      throw Error(
          ErrorKind::usage,
          fmt::format("shard {} of {} is {}; each was expected once", i,
                      shards[0].count, there == 0 ? "missing" : "there twice"));
  }
  ComparisonStats all = *shards[0].stats;
  for (size_t i = 1; i < shards.size(); ++i) merge(all, *shards[i].stats);
  return finish(all, options);
}

}  // namespace octavo
