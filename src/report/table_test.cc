#include "report/table.h"

#include <gtest/gtest.h>

#include "report/text_width.h"

namespace octavo {
namespace {

TEST(DisplayWidth, CountsWideAndCombiningCharacters) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("logits"), 6);
  EXPECT_EQ(display_width("\xc3\xa9"), 1);          // e acute, one code point
  EXPECT_EQ(display_width("e\xcc\x81"), 1);         // e, combining acute
  EXPECT_EQ(display_width("\xe5\x87\xba"), 2);      // CJK ideograph
  EXPECT_EQ(display_width("\xef\xbc\xa1"), 2);      // full-width A
  EXPECT_EQ(display_width("\xf0\x9f\x98\x80"), 2);  // emoji
  EXPECT_EQ(display_width("\xed\x95\x9c"), 2);      // Hangul syllable
}

TEST(Printable, HidesControlsEscapesAndBrokenBytes) {
  EXPECT_EQ(printable("a\x1b[31mb\n"), "a?[31mb?");
  EXPECT_EQ(printable("\xff\xc3"), "??");
  EXPECT_EQ(printable("\xc0\xaf"), "??");            // overlong '/'
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");       // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????");  // above U+10FFFF
  EXPECT_EQ(printable("\xc2\x9b"), "?");             // C1: CSI
  EXPECT_EQ(printable("x\xe2\x80\xaey"), "x?y");     // right-to-left override
  EXPECT_EQ(printable("\xe5\x87\xba"), "\xe5\x87\xba");
}

TEST(ShortenMiddle, KeepsHeadAndTailWithinTheWidth) {
  EXPECT_EQ(shorten_middle("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten_middle("abcdefghij", 8), "ab...hij");
  EXPECT_EQ(shorten_middle("abcdef", 3), "...");
  EXPECT_EQ(shorten_middle("abcdef", 0), "");
}

TEST(ShortenMiddle, NeverCutsAWideCharacterInTwo) {
  const std::string wide(
      "\xe5\x87\xba\xe5\x8f\xa3\xe5\x87\xba\xe5\x8f\xa3\xe5\x87\xba");
  for (int width = 0; width <= 10; ++width) {
    const std::string s = shorten_middle(wide, width);
    EXPECT_LE(display_width(s), width);
    EXPECT_EQ(printable(s), s) << width;
  }
}

TEST(TableText, AlignsAndSeparatesColumns) {
  const Table t{{{"output"}, {"max", Align::right}},
                {{"a", "0.5"}, {"logits", "12.25"}}};
  EXPECT_EQ(table_text(t),
            "output    max\n"
            "a         0.5\n"
            "logits  12.25\n");
}

TEST(TableText, AlignsByDisplayWidthNotBytes) {
  const Table t{{{"n"}, {"v"}}, {{"\xe5\x87\xba", "1"}, {"ab", "2"}}};
  EXPECT_EQ(table_text(t),
            "n   v\n"
            "\xe5\x87\xba  1\n"
            "ab  2\n");
}

TEST(TableText, ShortensOnlyTheElasticColumn) {
  Table t{{{"name", Align::left, true}, {"value"}},
          {{"encoder/layer.0/attention/MatMul", "123456"}}};
  const std::string text = table_text(t, {.width = 20});
  EXPECT_EQ(text,
            "name          value\n"
            "enco...atMul  123456\n");
}

TEST(TableText, FillsShortRowsAndSkipsEmptyTitles) {
  EXPECT_EQ(table_text({{{""}, {""}}, {{"a", "b"}, {"c"}}}), "a  b\nc\n");
  EXPECT_EQ(table_text({}), "");
}

TEST(TableText, ColoursOnlyWhenAsked) {
  const Table t{{{"x"}}, {{"1"}}};
  EXPECT_EQ(table_text(t, {.colour = true}), "\x1b[1mx\x1b[0m\n1\n");
  EXPECT_EQ(table_text(t, {.indent = 2}), "  x\n  1\n");
}

}  // namespace
}  // namespace octavo
