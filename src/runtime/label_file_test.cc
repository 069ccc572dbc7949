#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "octavo/error.h"
#include "octavo/samples.h"
#include "testing/temp_folder.h"

namespace octavo {
namespace {

using ::testing::HasSubstr;

class LabelFile : public ::testing::Test {
 protected:
  Tensor load(const std::string& name, const std::string& text,
              const std::string& column = "") {
    const std::string path = (folder_.path() / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return load_labels(path + column);
  }
  std::string error(const std::string& name, const std::string& text,
                    const std::string& column = "") {
    try {
      load(name, text, column);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }
  testing::TempFolder folder_;
};

std::vector<int64_t> integers(const Tensor& t) {
  EXPECT_EQ(t.type, DType::int64);
  const auto v = t.as<int64_t>();
  return {v.begin(), v.end()};
}

TEST_F(LabelFile, TextHoldsALabelALine) {
  EXPECT_EQ(integers(load("a.txt", "3\n-1\n+7\n")),
            (std::vector<int64_t>{3, -1, 7}));
  EXPECT_EQ(integers(load("a.txt",
                          "\xef\xbb\xbf"
                          "3\r\n1")),
            (std::vector<int64_t>{3, 1}));
  const Tensor reals = load("a.txt", "1\n0.5\n\n\n");
  EXPECT_EQ(reals.type, DType::float64);
  EXPECT_EQ(reals.as<double>()[1], 0.5);
  EXPECT_EQ(load("a.txt", "cat\n12\n, \"x\"\n").strings,
            (std::vector<std::string>{"cat", "12", ", \"x\""}));
  // NaN and infinity are no labels, so this is text; metrics then name it.
  EXPECT_EQ(load("a.txt", "1\nnan\n").type, DType::string);
  EXPECT_EQ(load("a.txt", "1\n1e999\n").type, DType::string);
}

TEST_F(LabelFile, CsvHasColumns) {
  const std::string table = "id,label\r\na,1\r\nb,\"2\"\r\n";
  EXPECT_EQ(integers(load("a.csv", table, ":label")),
            (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(load("a.csv", table, ":id").strings,
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(integers(load("a.csv", "5\n6\n")), (std::vector<int64_t>{5, 6}));
  EXPECT_EQ(integers(load("a.csv", "y\n6\n")), (std::vector<int64_t>{6}));
  EXPECT_EQ(load("a.csv", "y\n\"a,\n\"\"b\"\"\"\n\"\"\n").strings,
            (std::vector<std::string>{"a,\n\"b\"", ""}));
}

TEST_F(LabelFile, SaysWhatIsWrong) {
  EXPECT_THAT(error("a.csv", "id,label\n1,2\n"), HasSubstr("a.csv:label"));
  EXPECT_THAT(error("a.csv", "id,label\n1,2\n", ":lable"),
              HasSubstr("did you mean 'label'?"));
  EXPECT_THAT(error("a.csv", "id,label\n1,2\n3\n", ":label"),
              HasSubstr("row 3 of"));
  EXPECT_THAT(error("a.csv", "y\n\"open\n"), HasSubstr("never closes it"));
  EXPECT_THAT(error("a.csv", "y\n"), HasSubstr("holds no label"));
  EXPECT_THAT(error("a.txt", "\n"), HasSubstr("holds no label"));
  EXPECT_THAT(error("a.bin", "abc"), HasSubstr("is no array"));
  EXPECT_THROW(load_labels((folder_.path() / "none.txt").string()), Error);
}

}  // namespace
}  // namespace octavo
