#include "runtime/ort_api.h"

#include <fmt/format.h>

namespace octavo {

std::string take_message(const OrtApi& api, OrtStatus* status) {
  std::string words = api.GetErrorMessage(status);
  api.ReleaseStatus(status);
  std::string line;
  for (char c : words) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    if (c == ' ' && (line.empty() || line.back() == ' ')) continue;
    line += c;
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '.'))
    line.pop_back();
  return line;
}

void check(const OrtApi& api, OrtStatus* status, const std::string& what) {
  if (status == nullptr) return;
  throw Error(ErrorKind::runtime,
              fmt::format("{}: {}.", what, take_message(api, status)));
}

}  // namespace octavo
