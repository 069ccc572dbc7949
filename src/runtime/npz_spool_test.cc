#include "runtime/npz_spool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "octavo/error.h"
#include "octavo/samples.h"
#include "testing/temp_folder.h"

namespace octavo {
namespace {

Tensor rows(int64_t n, float first) {
  std::vector<float> values;
  for (int64_t i = 0; i < n * 2; ++i)
    values.push_back(first + static_cast<float>(i));
  return make_tensor<float>(DType::float32, {n, 2}, values);
}

TEST(NpzSpool, StacksRowsAndLeavesOneFile) {
  testing::TempFolder folder;
  std::filesystem::create_directory(folder / "rows");
  const std::string out = (folder / "out.npz").string();
  {
    NpzSpool spool(folder / "rows");
    EXPECT_TRUE(spool.empty());
    spool.append("y", rows(3, 0));
    // float16 1 = 0x3c00, bfloat16 1 = 0x3f80, which numpy lacks.
    spool.append("b", make_tensor<uint16_t>(DType::bfloat16, {1}, {0x3f80}));
    spool.append("y", rows(1, 6));
    spool.append("b", make_tensor<uint16_t>(DType::bfloat16, {1}, {0x4000}));
    spool.append("empty/name", make_tensor(DType::int64, {0, 4}));
    spool.write(out);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder / "rows"));
  const Tensor y = load_array(out + ":y");
  EXPECT_EQ(y.shape, (Shape{4, 2}));
  for (size_t i = 0; i < 8; ++i)
    EXPECT_EQ(y.as<float>()[i], static_cast<float>(i));
  const Tensor b = load_array(out + ":b");
  EXPECT_EQ(b.type, DType::float32);
  EXPECT_EQ(b.as<float>()[1], 2);
  EXPECT_EQ(load_array(out + ":empty/name").shape, (Shape{0, 4}));
}

TEST(NpzSpool, RefusesRowsThatAreNoOneArray) {
  testing::TempFolder folder;
  NpzSpool spool(folder.path());
  spool.append("y", rows(2, 0));
  EXPECT_THROW(spool.append("y", make_tensor(DType::float32, {2, 3})), Error);
  EXPECT_THROW(spool.append("y", make_tensor(DType::float64, {2, 2})), Error);
  EXPECT_THROW(spool.append("z", make_tensor(DType::float32, {})), Error);
  EXPECT_THROW(spool.append("z", make_tensor(DType::string, {2})), Error);
}

TEST(NpzSpool, LeavesNothingBehindWhereItIsNotWritten) {
  testing::TempFolder folder;
  {
    NpzSpool(folder.path()).append("y", rows(2, 0));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace octavo
