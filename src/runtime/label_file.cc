// Labels as people keep them: arrays, a line each, or a column of a table.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include "base/names.h"
#include "octavo/error.h"
#include "octavo/samples.h"
#include "runtime/byte_source.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

std::string extension_of(const std::string& path) {
  std::string out = fs::path(path).extension().string();
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string read_text(const std::string& path) {
  constexpr int64_t kMost = int64_t{1} << 30;
  const auto source = open_file_source(path);
  if (source->size() > kMost)
    throw Error(ErrorKind::limit,
                fmt::format("{} has {} bytes; labels as text may have at most "
                            "{}; give them as .npy",
                            source->name(), source->size(), kMost));
  std::string text(static_cast<size_t>(source->size()), '\0');
  source->read(0, std::as_writable_bytes(std::span(text)));
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

// The labels of a .txt; lines may end in CR LF, empty ones at the end count
// for nothing.
Strings lines_of(const std::string& text) {
  Strings lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
    at = end + 1;
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

// Rows of a .csv: fields parted by commas, in double quotes where they hold
// commas, line ends or quotes, which are then doubled. Lines without a field
// count for nothing.
std::vector<Strings> rows_of(const std::string& text, const std::string& name) {
  std::vector<Strings> rows;
  Strings row;
  std::string field;
  bool quoted = false, was_quoted = false;
  const auto end_field = [&] {
    row.push_back(std::move(field));
    field.clear();
    was_quoted = false;
  };
  const auto end_row = [&] {
    if (row.empty() && field.empty() && !was_quoted) return;
    end_field();
    rows.push_back(std::move(row));
    row.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"')
        field += c;
      else if (i + 1 < text.size() && text[i + 1] == '"')
        field += text[++i];
      else
        quoted = false;
    } else if (c == '"' && field.empty() && !was_quoted) {
      quoted = was_quoted = true;
    } else if (c == ',') {
      end_field();
    } else if (c == '\n') {
      end_row();
    } else if (c != '\r' || i + 1 >= text.size() || text[i + 1] != '\n') {
      field += c;
    }
  }
  if (quoted)
    throw Error(ErrorKind::format,
                fmt::format("'{}' opens a quote in row {} and never closes it",
                            name, rows.size() + 1));
  end_row();
  return rows;
}

template <typename T>
std::optional<T> number(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return std::nullopt;
  const char* begin = text.data() + first + (text[first] == '+');
  const char* end = text.data() + text.find_last_not_of(" \t") + 1;
  T value{};
  const auto parsed = std::from_chars(begin, end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

size_t column_of(const std::vector<Strings>& rows, const std::string& path,
                 const std::string& column) {
  const Strings& header = rows[0];
  if (column.empty()) {
    if (header.size() == 1) return 0;
    throw Error(ErrorKind::usage,
                fmt::format("'{0}' has {1} columns; say which one holds the "
                            "labels, as in {0}:{2}",
                            path, header.size(), header.back()));
  }
  const auto at = std::find(header.begin(), header.end(), column);
  if (at != header.end()) return static_cast<size_t>(at - header.begin());
  const std::string hint = did_you_mean(column, header);
  throw Error(
      ErrorKind::usage,
      fmt::format("'{}' has no column '{}'; {}its header names {}", path,
                  column, hint.empty() ? "" : hint + " ", name_list(header)));
}

Strings csv_labels(const std::string& path, const std::string& column) {
  const std::vector<Strings> rows = rows_of(read_text(path), path);
  if (rows.empty()) return {};
  const size_t at = column_of(rows, path, column);
  const bool header = !column.empty() || !number<double>(rows[0][0]);
  Strings labels;
  for (size_t i = header ? 1 : 0; i < rows.size(); ++i) {
    if (rows[i].size() != rows[0].size())
      throw Error(ErrorKind::format,
                  fmt::format("row {} of '{}' has {} fields, but the first row "
                              "has {}",
                              i + 1, path, rows[i].size(), rows[0].size()));
    labels.push_back(rows[i][at]);
  }
  return labels;
}

template <typename T>
std::optional<Tensor> numbers(const Strings& labels, DType type) {
  Tensor out = make_tensor(type, {std::ssize(labels)});
  const auto values = out.as<T>();
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::optional<T> value = number<T>(labels[i]);
    if (!value || !std::isfinite(static_cast<double>(*value)))
      return std::nullopt;
    values[i] = *value;
  }
  return out;
}

Tensor tensor_of(Strings labels, const std::string& path) {
  if (labels.empty())
    throw Error(ErrorKind::format, fmt::format("'{}' holds no label", path));
  if (auto whole = numbers<int64_t>(labels, DType::int64)) return *whole;
  if (auto real = numbers<double>(labels, DType::float64)) return *real;
  Tensor out = make_tensor(DType::string, {std::ssize(labels)});
  out.strings = std::move(labels);
  return out;
}

}  // namespace

Tensor load_labels(const std::string& path_and_key) {
  std::error_code ignored;
  std::string path = path_and_key, key;
  const size_t colon = path.rfind(':');
  if (colon != std::string::npos && !fs::exists(path, ignored)) {
    key = path.substr(colon + 1);
    path.resize(colon);
  }
  const std::string extension = extension_of(path);
  if (extension == ".csv") return tensor_of(csv_labels(path, key), path);
  if (extension == ".txt" && key.empty())
    return tensor_of(lines_of(read_text(path)), path);
  return load_array(path_and_key);
}

}  // namespace octavo
