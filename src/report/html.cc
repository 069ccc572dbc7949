#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/sha256.h"
#include "report/assets.h"
#include "report/text_width.h"
#include "report/units.h"

namespace octavo {
namespace {

constexpr int kLongestSentence = 4000;
constexpr size_t kMostSentences = 100;

// The digits of RFC 4648, section 4, for 64 hexadecimal digits.
std::string base64_of_hex(std::string_view hex) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : hex) {
    bits = bits << 4 | static_cast<uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    for (count += 4; count >= 6; count -= 6)
      out += kDigits[bits >> (count - 6) & 63];
  }
  if (count > 0) out += kDigits[bits << (6 - count) & 63];
  out.append((4 - out.size() % 4) % 4, '=');
  return out;
}

// A source of the page's policy (Content Security Policy Level 3): this very
// text and no other.
std::string allowed(std::string_view text) {
  Sha256 sha;
  sha.update(std::as_bytes(std::span(text)));
  return fmt::format("'sha256-{}'", base64_of_hex(sha.finish_hex()));
}

std::string attributes(const HtmlTable& t) {
  std::string out;
  if (!t.chart.empty()) out += fmt::format(" data-chart={}", t.chart);
  if (!t.unit.empty()) out += fmt::format(" data-unit={}", t.unit);
  if (t.sort) out += " data-sort";
  if (t.filter) out += " data-filter";
  return out;
}

std::string head_row(const HtmlTable& t) {
  std::string out = "<thead><tr>";
  for (const Column& c : t.table.columns)
    out += fmt::format("<th scope=col{}>{}",
                       c.align == Align::right ? " class=n" : "",
                       html_text(c.title));
  return out;
}

std::string body_row(const HtmlTable& t, size_t r) {
  const auto& cells = t.table.rows[r];
  const std::string kind = r < t.kinds.size() ? t.kinds[r] : "";
  std::string out = kind.empty()       ? "<tr>"
                    : kind.size() == 1 ? fmt::format("<tr data-k={}>", kind)
                                       : fmt::format("<tr class={}>", kind);
  for (size_t c = 0; c < t.table.columns.size(); ++c) {
    out += c == 0 ? "<th scope=row" : "<td";
    if (t.table.columns[c].align == Align::right) out += " class=n";
    if (r < t.values.size() && c < t.values[r].size() && t.values[r][c] &&
        std::isfinite(*t.values[r][c]))
      out += fmt::format(" data-v={}", *t.values[r][c]);
    out += '>';
    if (c < cells.size()) out += html_text(cells[c]);
  }
  out += '\n';
  return out;
}

}  // namespace

std::string html_text(std::string_view text, int longest) {
  // Marks without a width of their own count here, too.
  text = text.substr(0, 8 * static_cast<size_t>(longest));
  std::string out;
  for (const char c : shorten_middle(printable(text), longest)) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string html_table(const HtmlTable& t, size_t budget) {
  std::string out = fmt::format("<div class=scroll><table{}>\n<caption>{}\n",
                                attributes(t), html_text(t.caption));
  out += head_row(t) + "\n<tbody>\n";
  size_t r = 0;
  for (; r < t.table.rows.size(); ++r) {
    const std::string row = body_row(t, r);
    if (out.size() + row.size() > budget) break;
    out += row;
  }
  out += "</table></div>\n";
  if (r < t.table.rows.size())
    out += html_sentences({fmt::format(
        "{} left out here; {} has all of them.",
        count_noun(std::ssize(t.table.rows) - static_cast<int64_t>(r), "row is",
                   "rows are"),
        t.whole)});
  return out;
}

std::vector<std::string> sentences_of(std::string_view text) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const size_t first = text.find_first_not_of(' ', begin);
    if (first < end) out.emplace_back(text.substr(first, end - first));
    begin = end + 1;
  }
  return out;
}

std::string html_sentences(const std::vector<std::string>& sentences) {
  if (sentences.empty()) return "";
  if (sentences.size() == 1)
    return fmt::format("<p>{}</p>\n",
                       html_text(sentences[0], kLongestSentence));
  std::string out = "<ul>\n";
  for (size_t i = 0; i < std::min(sentences.size(), kMostSentences); ++i)
    out += fmt::format("<li>{}\n", html_text(sentences[i], kLongestSentence));
  if (sentences.size() > kMostSentences)
    out += fmt::format("<li>and {} more\n", sentences.size() - kMostSentences);
  return out + "</ul>\n";
}

std::string html_page(std::string_view title, std::string_view body) {
  std::string scripts = allowed(report_js());
  std::string chart;
  if (!chart_js().empty()) {
    scripts += " " + allowed(chart_js());
    chart = fmt::format("<script>{}</script>\n", chart_js());
  }
  return fmt::format(
      "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
      "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
      "style-src {}; script-src {}; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=viewport content=\"width=device-width\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}"
      "{}<script>{}</script>\n</body>\n</html>\n",
      allowed(report_css()), scripts, html_text(title), report_css(), body,
      chart, report_js());
}

}  // namespace octavo
