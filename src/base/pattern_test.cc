#include "base/pattern.h"

#include <gtest/gtest.h>

#include "octavo/error.h"

namespace octavo {
namespace {

bool match(const char* pattern, const char* name) {
  return NamePattern(pattern).matches(name);
}

TEST(NamePattern, ReadsGlobs) {
  EXPECT_TRUE(match("/fc/Gemm", "/fc/Gemm"));
  EXPECT_FALSE(match("/fc/Gem", "/fc/Gemm"));
  EXPECT_TRUE(match("/fc/*", "/fc/Gemm"));
  EXPECT_TRUE(match("*Gemm*", "/fc/Gemm"));
  EXPECT_TRUE(match("/layer.?/fc", "/layer.3/fc"));
  EXPECT_FALSE(match("/layer.?/fc", "/layer.33/fc"));
  EXPECT_TRUE(match("*a*b*c", "xaxbxbxc"));
  EXPECT_FALSE(match("*a*b*c", "xaxbxbx"));
  EXPECT_TRUE(match("*", ""));
  EXPECT_FALSE(match("?", ""));
  EXPECT_FALSE(match("[ab]", "a"));  // brackets are letters of names
}

TEST(NamePattern, ReadsRegularExpressionsBetweenSlashes) {
  EXPECT_TRUE(match("/layer\\.[0-3]/", "/encoder/layer.2/fc"));
  EXPECT_FALSE(match("/layer\\.[0-3]/", "/encoder/layer.7/fc"));
  EXPECT_TRUE(match("/^x$/", "x"));
  EXPECT_FALSE(match("/^x$/", "xx"));
  EXPECT_THROW(NamePattern("/(/"), Error);
}

// The classic trap for backtracking matchers.
TEST(NamePattern, EndsSoonOnManyStars) {
  const std::string name(2000, 'a');
  std::string stars;
  for (int i = 0; i < 200; ++i) stars += "*a";
  EXPECT_FALSE(NamePattern(stars + "*b").matches(name));
}

}  // namespace
}  // namespace octavo
