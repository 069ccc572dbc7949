// This machine's processor: its name, its cores, and the instructions that
// decide how fast and how exactly 8-bit models run. Its door is `cpu_info`;
// the one file that asks the processor.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace octavo {

struct CpuInfo {
  std::string model;         // "AMD EPYC 7R13"; "unknown" where none is told
  std::string architecture;  // "x86-64", "arm64", "other"
  int logical_cores = 1;     // that this process may use
  int physical_cores = 1;    // among them, as far as the system tells

  // x86-64. Usable: the processor has it and the system saves its registers.
  bool avx2 = false;
  bool avx512 = false;  // F, BW, DQ and VL
  bool avx_vnni = false;
  bool avx512_vnni = false;
  bool amx_int8 = false;
  // arm64.
  bool dot_product = false;
  bool i8mm = false;
};

CpuInfo cpu_info();

// What of its kind of processor matters for 8-bit models, by the makers' names,
// and whether this one has it.
std::vector<std::pair<std::string, bool>> cpu_features(const CpuInfo& cpu);

}  // namespace octavo
