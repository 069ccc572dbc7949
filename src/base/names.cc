#include "base/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace octavo {
namespace {

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// Optimal string alignment distance, three rows at a time.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1),
      row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1,
                         last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::vector<std::string> nearest(std::string_view name,
                                 std::span<const std::string> candidates) {
  constexpr size_t kLongest = 256;  // longer names are compared by their start
  struct Found {
    size_t distance;
    const std::string* name;
  };
  std::vector<Found> found;
  const std::string want = lower(name.substr(0, kLongest));
  for (const std::string& candidate : candidates) {
    const std::string have =
        lower(std::string_view(candidate).substr(0, kLongest));
    const size_t longer = std::max(want.size(), have.size());
    const size_t shorter = std::min(want.size(), have.size());
    const size_t d = distance(want, have);
    const bool inside = shorter >= 3 && (want.find(have) != std::string::npos ||
                                         have.find(want) != std::string::npos);
    if (inside || d == 0 ||
        (d < longer && d <= std::max<size_t>(1, longer / 3)))
      found.push_back({d, &candidate});
  }
  std::stable_sort(
      found.begin(), found.end(),
      [](const Found& a, const Found& b) { return a.distance < b.distance; });
  std::vector<std::string> out;
  for (size_t i = 0; i < found.size() && i < 3; ++i)
    out.push_back(*found[i].name);
  return out;
}

std::string did_you_mean(std::string_view name,
                         std::span<const std::string> candidates) {
  const std::vector<std::string> near = nearest(name, candidates);
  if (near.empty()) return "";
  std::string out = "did you mean ";
  for (size_t i = 0; i < near.size(); ++i)
    out += fmt::format("{}'{}'",
                       i == 0                 ? ""
                       : i + 1 == near.size() ? " or "
                                              : ", ",
                       near[i]);
  return out + "?";
}

std::string name_list(std::span<const std::string> names, size_t limit) {
  if (names.empty()) return "none";
  const size_t shown = names.size() > limit ? limit : names.size();
  std::string out;
  for (size_t i = 0; i < shown; ++i) {
    const bool ends = i + 1 == shown && shown == names.size();
    out += fmt::format("{}'{}'", i == 0 ? "" : ends ? " and " : ", ", names[i]);
  }
  if (shown < names.size())
    out += fmt::format("{}{} more", shown == 0 ? "" : " and ",
                       names.size() - shown);
  return out;
}

bool natural_less(std::string_view a, std::string_view b) noexcept {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  // The run of digits at `at`, without its leading zeros; moves `at` past it.
  const auto number = [&](std::string_view s, size_t& at) {
    size_t begin = at;
    while (at < s.size() && digit(s[at])) ++at;
    while (begin + 1 < at && s[begin] == '0') ++begin;
    return s.substr(begin, at - begin);
  };
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      const std::string_view x = number(a, i), y = number(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a[i] != b[j])
        return static_cast<unsigned char>(a[i]) <
               static_cast<unsigned char>(b[j]);
      ++i, ++j;
    }
  }
  const bool a_ends = i == a.size(), b_ends = j == b.size();
  return a_ends != b_ends ? a_ends : a < b;
}

}  // namespace octavo
