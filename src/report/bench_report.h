// What `octavo bench` found: the text for a terminal, and the document
// "octavo.bench/1" (docs/bench.md).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/environment.h"
#include "bench/ops.h"
#include "octavo/bench.h"
#include "report/colour.h"
#include "report/json.h"

namespace octavo {

// Resident bytes of a process that does nothing but run one model.
struct MemoryUse {
  int64_t runtime = 0;  // the runtime loaded, no model
  int64_t loaded = 0;   // the session made
  int64_t steady = 0;   // after some runs
  int64_t peak = 0;     // at any time
};

struct BenchModel {
  std::string path;
  int64_t file_bytes = 0, weight_bytes = 0;
  std::optional<MemoryUse> memory;
};

// One setting of the matrix.
struct BenchCell {
  int threads = 0;
  int64_t batch = 1;
  std::vector<std::pair<std::string, int64_t>> dims;
  std::string samples;               // described
  std::vector<double> load_seconds;  // a session's creation, by model
  BenchResult result;
  int clients = 0;
  std::vector<LoadTimes> load;  // empty: no clients were asked for
};

struct BenchReport {
  Machine machine;
  MachineUse use;
  RuntimeInfo runtime;
  std::vector<std::string> warnings;
  std::vector<BenchModel> models;
  std::vector<BenchCell> cells;
  std::vector<OpsResult> ops;  // of every model but the first, beside it
};

std::string bench_text(const BenchReport& report,
                       const TextOptions& options = {});
// The models' names for people: the files', where they tell the models apart.
std::vector<std::string> shown_names(const BenchReport& report);

// One model beside the first, in the setting of the first cell.
std::string ops_text(const BenchReport& report, size_t copy,
                     const TextOptions& options = {});
Json ops_json(const OpsResult& ops);
Json bench_json(const BenchReport& report);

}  // namespace octavo
