#include "base/cpu.h"

#include <cstdint>
#include <fstream>
#include <set>
#include <string_view>
#include <thread>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__linux__)
#include <sched.h>
#include <sys/auxv.h>
#endif

namespace octavo {
namespace {

#if defined(__x86_64__)
struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

Registers cpuid(unsigned leaf, unsigned sub) {
  Registers r;
  if (__get_cpuid_count(leaf, sub, &r.a, &r.b, &r.c, &r.d) == 0) return {};
  return r;
}

bool bit(unsigned value, int at) { return ((value >> at) & 1) != 0; }

// Which registers the operating system saves (XCR0), with xgetbv; 0 where
// that instruction is not allowed.
uint64_t saved_registers() {
  if (!bit(cpuid(1, 0).c, 27)) return 0;  // OSXSAVE
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
}

// Bits: Intel's Software Developer's Manual, volume 2, CPUID leaf 7; XCR0 in
// volume 1, 13.3.
void ask_processor(CpuInfo& out) {
  out.architecture = "x86-64";
  const uint64_t saved = saved_registers();
  const bool ymm = (saved & 0x6) == 0x6;
  const bool zmm = ymm && (saved & 0xE0) == 0xE0;
  const bool tiles = (saved & 0x60000) == 0x60000;
  const Registers seven = cpuid(7, 0);
  const Registers more = seven.a >= 1 ? cpuid(7, 1) : Registers{};
  out.avx2 = ymm && bit(seven.b, 5);
  out.avx512 = zmm && bit(seven.b, 16) && bit(seven.b, 17) &&
               bit(seven.b, 30) && bit(seven.b, 31);
  out.avx512_vnni = out.avx512 && bit(seven.c, 11);
  out.avx_vnni = ymm && bit(more.a, 4);
  out.amx_int8 = tiles && bit(seven.d, 24) && bit(seven.d, 25);

  std::string name;
  for (unsigned leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    const Registers part = cpuid(leaf, 0);
    for (unsigned word : {part.a, part.b, part.c, part.d})
      for (int k = 0; k < 4; ++k)
        if (const char c = static_cast<char>(word >> (8 * k)); c != '\0')
          name += c;
  }
  const size_t begin = name.find_first_not_of(' ');
  if (begin != std::string::npos)
    out.model = name.substr(begin, name.find_last_not_of(' ') + 1 - begin);
}
#elif defined(__aarch64__)
void ask_processor(CpuInfo& out) {
  out.architecture = "arm64";
#if defined(__linux__)
  out.dot_product = (getauxval(AT_HWCAP) >> 20) & 1;  // HWCAP_ASIMDDP
  out.i8mm = (getauxval(AT_HWCAP2) >> 13) & 1;        // HWCAP2_I8MM
#endif
}
#else
void ask_processor(CpuInfo& out) { out.architecture = "other"; }
#endif

// Physical cores among those that this process may use: each lists the threads
// that share it.
int count_physical(int logical) {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return logical;
  std::set<std::string> cores;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (!CPU_ISSET(i, &allowed)) continue;
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(i) +
                       "/topology/thread_siblings_list");
    std::string siblings;
    if (!std::getline(file, siblings)) return logical;
    cores.insert(siblings);
  }
  if (!cores.empty()) return static_cast<int>(cores.size());
#endif
  return logical;
}

}  // namespace

CpuInfo cpu_info() {
  CpuInfo out;
  out.model = "unknown";
  ask_processor(out);
  const unsigned logical = std::thread::hardware_concurrency();
  out.logical_cores = logical > 0 ? static_cast<int>(logical) : 1;
  out.physical_cores = count_physical(out.logical_cores);
  return out;
}

std::vector<std::pair<std::string, bool>> cpu_features(const CpuInfo& cpu) {
  if (cpu.architecture == "arm64")
    return {{"dot product", cpu.dot_product}, {"I8MM", cpu.i8mm}};
  return {{"AVX2", cpu.avx2},
          {"AVX-512", cpu.avx512},
          {"AVX-VNNI", cpu.avx_vnni},
          {"AVX512-VNNI", cpu.avx512_vnni},
          {"AMX-INT8", cpu.amx_int8}};
}

}  // namespace octavo
