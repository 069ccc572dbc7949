// HTML in small pieces: text made safe, a table, a whole page. Names in models
// are other people's bytes; nothing of them may become markup or script, and
// the page forbids its reader's browser to run or fetch anything but what
// stands in it. It knows nothing of reports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/table.h"

namespace octavo {

// `text` as the text of an element or the value of a quoted attribute:
// printable and escaped; its middle left out where it takes more columns than
// `longest`.
std::string html_text(std::string_view text, int longest = 600);

struct HtmlTable {
  Table table;
  std::string caption;
  // The numbers that cells show as text, for sorting and charts; may be
  // shorter than the table, or empty.
  std::vector<std::vector<std::optional<double>>> values;
  // A row's kind: "q" quantized, "f" float; "good", "bad"; or empty.
  std::vector<std::string> kinds;
  // "bars", "columns", "stacked" or "lines" (src/report/assets/report.js).
  std::string chart;
  std::string unit;  // of the chart's numbers: "bytes", "seconds" or ""
  bool sort = false;
  bool filter = false;           // by words, and by the rows' kinds "q" and "f"
  std::string whole = "--json";  // what has all rows, where some do not fit
};

// The rows beyond about `budget` bytes are left out, and a sentence says so.
std::string html_table(const HtmlTable& table, size_t budget = 300'000);

// A text report, made without a width, as its sentences.
std::vector<std::string> sentences_of(std::string_view text);

// <p> for one sentence, <ul> for more; "" for none. Of very many, the first.
std::string html_sentences(const std::vector<std::string>& sentences);

// The file: head, the style and scripts of the report within it, `body`.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace octavo
