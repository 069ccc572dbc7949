#include "base/cpu.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace octavo {
namespace {

TEST(CpuInfo, CountsCores) {
  const CpuInfo cpu = cpu_info();
  EXPECT_GE(cpu.physical_cores, 1);
  EXPECT_GE(cpu.logical_cores, cpu.physical_cores);
  EXPECT_FALSE(cpu.model.empty());
}

#if defined(__x86_64__) && defined(__linux__)
// The kernel's own list is an independent source.
TEST(CpuInfo, AgreesWithTheKernel) {
  std::ifstream file("/proc/cpuinfo");
  std::string line, flags;
  while (std::getline(file, line))
    if (line.rfind("flags", 0) == 0) flags = line + " ";
  if (flags.empty()) GTEST_SKIP() << "/proc/cpuinfo lists no flags";
  const auto has = [&](const std::string& flag) {
    return flags.find(" " + flag + " ") != std::string::npos;
  };
  const CpuInfo cpu = cpu_info();
  EXPECT_EQ(cpu.avx2, has("avx2"));
  EXPECT_EQ(cpu.avx_vnni, has("avx_vnni"));
  EXPECT_EQ(cpu.avx512_vnni, has("avx512_vnni"));
  EXPECT_EQ(cpu.amx_int8, has("amx_int8"));
}
#endif

}  // namespace
}  // namespace octavo
