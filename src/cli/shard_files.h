// Shards of a comparison on the disk, and what they say of themselves.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/report_file.h"
#include "octavo/shards.h"
#include "report/compare_context.h"
#include "tune/known.h"

namespace octavo::cli {

// Made ready before anything is measured.
class StatsFile {
 public:
  // Throws Error where it cannot be written, or holds something else.
  explicit StatsFile(const std::string& path);
  void write(const std::vector<std::byte>& bytes);

 private:
  ReportFile file_;
};

// Notes what must be equal in all shards of one comparison.
void describe(CompareShard& shard, const Question& question,
              const std::filesystem::path& copy);

// What reports say of models and runtime, in a shard and out of it.
void show(CompareShard& shard, const CompareContext& context);
CompareContext shown(const CompareShard& shard);

// Throws Error(io, format), naming the file.
CompareShard load_shard(const std::filesystem::path& path);

}  // namespace octavo::cli
