#include "base/utf.h"

#include <gmock/gmock.h>

namespace octavo {
namespace {

TEST(Utf8, EveryCodePointComesBack) {
  for (uint32_t c = 0; c <= 0x110000; ++c) {
    std::string text;
    const bool legal = c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);
    ASSERT_EQ(append_utf8(c, text), legal) << c;
    if (!legal) continue;
    const auto points = utf8_code_points(text);
    ASSERT_TRUE(points.has_value()) << c;
    ASSERT_THAT(*points, ::testing::ElementsAre(c));
  }
}

TEST(Utf8, RefusesBrokenText) {
  for (const char* text :
       {"\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
        "\xf4\x90\x80\x80", "\xff", "a\xe2\x82"})
    EXPECT_EQ(utf8_code_points(text), std::nullopt) << text;
}

}  // namespace
}  // namespace octavo
