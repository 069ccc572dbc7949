// Builds the models of the benchmarks that are not there yet.
// Usage: octavo_bench_models FOLDER [NAME...]
#include <cstdio>

#include "bench/models.h"
#include "octavo/error.h"

int main(int argc, char** argv) {
  using namespace octavo::benchmarks;
  // A flag is no folder: gigabytes would go to one named --help.
  if (argc < 2 || argv[1][0] == '-') {
    std::fprintf(stderr, "Usage: octavo_bench_models FOLDER [NAME...]\n");
    for (const auto& m : models())
      std::fprintf(stderr, "  %-12s%s\n", m.name, m.what);
    return 2;
  }
  std::vector<std::string> names(argv + 2, argv + argc);
  if (names.empty())
    for (const auto& m : models()) names.push_back(m.name);
  try {
    for (const auto& name : names) build(argv[1], name);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "octavo_bench_models: %s\n", e.what());
    return 2;
  }
}
