#include "report/table.h"

#include <algorithm>

#include "report/text_width.h"

namespace octavo {
namespace {

constexpr int kGap = 2;
constexpr int kLeastElastic = 8;  // narrower than this a name tells nothing

std::vector<int> column_widths(const std::vector<std::vector<std::string>>& all,
                               const Table& table,
                               const TableOptions& options) {
  std::vector<int> widths(table.columns.size(), 0);
  for (const auto& row : all)
    for (size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], display_width(row[c]));
  if (options.width <= 0) return widths;
  int total = options.indent;
  for (size_t c = 0; c < widths.size(); ++c)
    total += widths[c] + (c > 0 ? kGap : 0);
  for (size_t c = 0; c < widths.size(); ++c)
    if (table.columns[c].elastic) {
      const int fits = widths[c] - std::max(total - options.width, 0);
      widths[c] = std::min(widths[c], std::max(fits, kLeastElastic));
      break;
    }
  return widths;
}

std::string line_text(const std::vector<std::string>& cells,
                      const std::vector<int>& widths, const Table& table) {
  std::string line;
  for (size_t c = 0; c < cells.size(); ++c) {
    if (c > 0) line.append(kGap, ' ');
    const std::string cell = table.columns[c].elastic
                                 ? shorten_middle(cells[c], widths[c])
                                 : cells[c];
    line += table.columns[c].align == Align::right ? pad_left(cell, widths[c])
                                                   : pad_right(cell, widths[c]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string table_text(const Table& table, const TableOptions& options) {
  std::vector<std::vector<std::string>> all(1);
  bool titled = false;
  for (const Column& column : table.columns) {
    all[0].push_back(printable(column.title));
    titled |= !column.title.empty();
  }
  for (const auto& row : table.rows) {
    std::vector<std::string> cells(table.columns.size());
    for (size_t c = 0; c < std::min(cells.size(), row.size()); ++c)
      cells[c] = printable(row[c]);
    all.push_back(std::move(cells));
  }
  const std::vector<int> widths = column_widths(all, table, options);
  const std::string indent(static_cast<size_t>(std::max(options.indent, 0)),
                           ' ');
  std::string out;
  for (size_t r = titled ? 0 : 1; r < all.size(); ++r) {
    const std::string line = line_text(all[r], widths, table);
    if (!line.empty()) {
      const bool bold = options.colour && r == 0;
      out += indent + (bold ? "\x1b[1m" : "") + line + (bold ? "\x1b[0m" : "");
    }
    out += '\n';
  }
  return out;
}

}  // namespace octavo
