// A plain text table for a terminal. Columns keep their widest cell; where
// the whole is wider than asked, the one elastic column is shortened in the
// middle. It neither prints nor knows what a terminal is. Its door:
// `table_text`.
#pragma once

#include <string>
#include <vector>

namespace octavo {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  bool elastic = false;  // at most one; the first one wins
};

struct TableOptions {
  int width = 80;       // columns of the terminal; 0: as wide as it gets
  int indent = 0;       // spaces before every line
  bool colour = false;  // titles in bold
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // short rows are filled up
};

// Titles, then rows, every line with a newline at its end and no blank before
// it; columns are two spaces apart. A table without titles prints no title
// line. Cells are made printable.
std::string table_text(const Table& table, const TableOptions& options = {});

}  // namespace octavo
