#include "bench/profile.h"

#include <gtest/gtest.h>

#include "octavo/error.h"
#include "testing/temp_folder.h"

namespace octavo {
namespace {

using testing::TempFolder;
using testing::write_file;

TEST(ReadProfile, SumsANodesTimesByRun) {
  // As the runtime writes it: nodes first, then the run that they belong to; a
  // loop's body runs twice in the second run and not in the first.
  const TempFolder folder;
  write_file(folder / "p.json", R"([
    {"cat":"Session","dur":900,"name":"session_initialization","args":{}},
    {"cat":"Node","dur":7,"name":"m_kernel_time",
     "args":{"op_name":"MatMul","node_index":"3","provider":"P"}},
    {"cat":"Node","dur":9,"name":"m_fence_after","args":{"op_name":"MatMul"}},
    {"cat":"Session","dur":20,"name":"SequentialExecutor::Execute","args":{}},
    {"cat":"Session","dur":30,"name":"model_run","args":{}},
    {"cat":"Node","dur":8,"name":"m_kernel_time",
     "args":{"op_name":"MatMul","node_index":"3","provider":"P"}},
    {"cat":"Node","dur":1,"name":"a_kernel_time","args":{"op_name":"Add"}},
    {"cat":"Node","dur":2,"name":"a_kernel_time","args":{"op_name":"Add"}},
    {"cat":"Session","dur":31,"name":"model_run","args":{}}])");
  const Profile p = read_profile(folder / "p.json");
  ASSERT_EQ(p.kernels.size(), 2u);
  EXPECT_EQ(p.run_ns, (std::vector<double>{30000, 31000}));
  EXPECT_EQ(p.kernels[0].name, "m");
  EXPECT_EQ(p.kernels[0].op, "MatMul");
  EXPECT_EQ(p.kernels[0].provider, "P");
  EXPECT_EQ(p.kernels[0].ns, (std::vector<double>{7000, 8000}));
  EXPECT_EQ(p.kernels[1].ns, (std::vector<double>{0, 3000}));
}

TEST(ReadProfile, RefusesWhatIsNone) {
  const TempFolder folder;
  EXPECT_THROW(read_profile(folder / "none.json"), Error);
  write_file(folder / "p.json", "[{\"name\":");
  EXPECT_THROW(read_profile(folder / "p.json"), Error);
}

}  // namespace
}  // namespace octavo
