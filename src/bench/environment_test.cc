#include "bench/environment.h"

#include <gmock/gmock.h>

namespace octavo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(MachineUse, SharesTheTimeBetweenUsOthersAndTheHost) {
  MachineState before, after;
  read_proc_stat("cpu  100 0 0 900 0 0 0 0 0 0", 100, before);
  // 10 s of all cores: 4 busy, 5 idle, 1 stolen.
  read_proc_stat("cpu  400 50 30 1350 50 10 10 100 0 0", 100, after);
  before.own = 1;
  after.own = 3;
  const MachineUse use = machine_use(before, after);
  EXPECT_DOUBLE_EQ(*use.stolen, 0.1);
  EXPECT_DOUBLE_EQ(*use.others, 0.2);  // 4 s less our own 2
  EXPECT_FALSE(machine_use({}, after).others);
}

TEST(MachineUse, IsUnknownWhereTheSystemDoesNotTell) {
  MachineState s;
  read_proc_stat("", 100, s);
  read_proc_stat("cpu 1 2 3", 100, s);
  EXPECT_FALSE(s.all);
}

TEST(MachineWarnings, NameWhatSpoilsAMeasurement) {
  Machine m;
  m.build = "release";
  m.cpu.physical_cores = 2;
  RuntimeInfo runtime;
  runtime.build = "ORT Build Info: git-branch=x, build type=Release, cmake y";
  EXPECT_EQ(build_type(runtime), "Release");
  EXPECT_THAT(machine_warnings(m, {}, runtime, 2), IsEmpty());
  EXPECT_THAT(machine_warnings(m, {0.01, 0.01, 0, 0}, runtime, 2), IsEmpty());
  EXPECT_THAT(machine_warnings(m, {}, runtime, 4),
              ElementsAre(HasSubstr("4 threads share 2 physical cores")));
  EXPECT_THAT(machine_warnings(m, {0.3, 0.1, 1, 7}, runtime, 1),
              ElementsAre(HasSubstr("used 30 %"), HasSubstr("took 10 %"),
                          HasSubstr("too hot"), HasSubstr("back 7 times")));
  runtime.build = "ORT Build Info: build type=Debug";
  m.build = "debug";
  m.governor = "powersave";
  m.quota_cores = 1.5;
  EXPECT_THAT(machine_warnings(m, {}, runtime, 2),
              ElementsAre(HasSubstr("debug build"), HasSubstr("debug build"),
                          HasSubstr("'powersave'"), HasSubstr("1.5 cores")));
}

}  // namespace
}  // namespace octavo
