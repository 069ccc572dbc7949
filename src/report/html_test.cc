#include "report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace octavo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HtmlText, LeavesNothingThatIsMarkup) {
  EXPECT_EQ(html_text("<b a=\"1\" c='2'>&"),
            "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;");
  EXPECT_EQ(html_text("a\nb\x1b[31m\xff"), "a?b?[31m?");
  EXPECT_EQ(html_text("\xe5\xb1\x82"), "\xe5\xb1\x82");  // a Chinese name
}

TEST(HtmlText, ShortensTheMiddleAndNeverCutsAnEscape) {
  // 100 columns: 48 before the dots, 49 after them, each '<' four bytes.
  const std::string text = html_text(std::string(200, '<'), 100);
  EXPECT_EQ(text.size(), 97 * 4 + 3);
  EXPECT_THAT(text, HasSubstr("&lt;...&lt;"));
}

TEST(HtmlText, IsBoundedForMarksThatTakeNoColumn) {
  std::string marks;
  for (int i = 0; i < 100000; ++i) marks += "\xcc\x81";  // U+0301
  EXPECT_LE(html_text(marks, 100).size(), 800);
}

HtmlTable table(size_t rows) {
  HtmlTable t;
  t.caption = "A & B";
  t.table.columns = {{"name"}, {"size", Align::right}};
  for (size_t i = 0; i < rows; ++i) {
    t.table.rows.push_back({"row", "1.0 KiB"});
    t.values.push_back({{}, 1024.0});
  }
  return t;
}

TEST(HtmlTable, CarriesTextNumbersAndKinds) {
  HtmlTable t = table(2);
  t.kinds = {"q", "bad"};
  t.values[1][1] = std::numeric_limits<double>::infinity();
  const std::string html = html_table(t);
  EXPECT_THAT(html, HasSubstr("<caption>A &amp; B"));
  EXPECT_THAT(html, HasSubstr("<tr data-k=q><th scope=row>row<td class=n "
                              "data-v=1024>1.0 KiB\n"));
  // Infinity is no number of JavaScript's that sorts.
  EXPECT_THAT(html, HasSubstr("<tr class=bad><th scope=row>row<td class=n>"));
}

TEST(HtmlTable, SaysWhatItLeavesOut) {
  HtmlTable t = table(10000);
  t.whole = "--json";
  const std::string html = html_table(t, 5000);
  EXPECT_LT(html.size(), 5200);
  size_t rows = 0;
  for (size_t at = 0; (at = html.find("<td", at)) != std::string::npos; ++at)
    ++rows;
  EXPECT_THAT(html, HasSubstr("left out here; --json has all of them."));
  EXPECT_GT(rows, 50);
  EXPECT_THAT(html_table(table(10)), Not(HasSubstr("left out")));
}

TEST(HtmlSentences, ReadsATextReportLineByLine) {
  EXPECT_THAT(sentences_of("One.\n  Two.\n\nThree."),
              ::testing::ElementsAre("One.", "Two.", "Three."));
  EXPECT_EQ(html_sentences({}), "");
  EXPECT_EQ(html_sentences({"a < b"}), "<p>a &lt; b</p>\n");
  EXPECT_THAT(html_sentences(std::vector<std::string>(500, "x")),
              HasSubstr("<li>and 400 more"));
}

TEST(HtmlPage, ForbidsWhateverDoesNotStandInIt) {
  const std::string page = html_page("a<b", "<p>body</p>\n");
  EXPECT_THAT(page, ::testing::StartsWith("<!doctype html>"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'; style-src 'sha256-"));
  EXPECT_THAT(page, HasSubstr("<title>a&lt;b</title>"));
  EXPECT_THAT(page, Not(HasSubstr("unsafe-inline")));
  // A script that closed its own element would end early.
  size_t open = 0, close = 0;
  for (size_t at = 0; (at = page.find("<script", at)) != std::string::npos;
       ++at)
    ++open;
  for (size_t at = 0; (at = page.find("</script", at)) != std::string::npos;
       ++at)
    ++close;
  EXPECT_EQ(open, close);
}

}  // namespace
}  // namespace octavo
