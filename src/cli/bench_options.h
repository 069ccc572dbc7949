// The flags of `octavo bench` that stand for several settings at once, and
// how they are read.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/run_options.h"

namespace octavo::cli {

// As typed.
struct BenchFlags {
  std::vector<std::string> models;
  RunOptions run;  // its threads, batch and dim are of one setting
  std::vector<int> threads;
  std::vector<int64_t> batch;
  std::vector<std::string> dim;  // NAME=SIZE[,SIZE...]
  std::string until = "2%";
  std::string budget = "30s";
  int64_t block = 0;
  int clients = 0;
  bool spin = false;
  bool ops = false;
  bool no_memory = false;
  bool json = false;
};

void add_bench_options(CLI::App& command, BenchFlags& flags);

struct BenchSetting {
  RunOptions run;
  std::vector<std::pair<std::string, int64_t>> dims;
};

// Every combination, threads outermost. Throws Error(usage).
std::vector<BenchSetting> bench_settings(const BenchFlags& flags);

// "2%" or "0.02" as 0.02. Throws Error(usage).
double read_share(const std::string& flag, const std::string& text);

}  // namespace octavo::cli
