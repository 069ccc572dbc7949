#include "cli/report_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <span>

#include "octavo/error.h"

namespace octavo::cli {
namespace {

namespace fs = std::filesystem;

bool starts_with(const std::string& path, std::string_view start) {
  std::string head(start.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  std::transform(head.begin(), head.end(), head.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return head == start;
}

void require_replaceable(const std::string& path, const ReportKind& kind) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  if (!fs::exists(status)) return;
  if (fs::is_regular_file(status) &&
      (fs::file_size(path, ignored) == 0 || starts_with(path, kind.start)))
    return;
  throw Error(ErrorKind::usage,
              fmt::format("{} exists already and is no {}, so that {} leaves "
                          "it alone; give another name",
                          path, kind.name, kind.flag));
}

}  // namespace

ReportFile::ReportFile(const std::string& path, const ReportKind& kind) {
  if (path.empty()) return;
  require_replaceable(path, kind);
  file_.emplace(path, 0);
}

void ReportFile::write(const std::string& text) {
  file_->write(0, std::as_bytes(std::span(text)));
  file_->commit(false);
}

}  // namespace octavo::cli
