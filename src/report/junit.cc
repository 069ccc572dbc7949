#include "report/junit.h"

#include <fmt/format.h>

#include "base/utf.h"
#include "report/check_text.h"
#include "report/compare_text.h"

namespace octavo {
namespace {

// XML 1.0 has no way to write most control characters, nor what is no UTF-8.
std::string escaped(const std::string& text) {
  const auto points = utf8_code_points(text);
  std::string out;
  if (!points) {
    for (const char c : text)
      out += static_cast<unsigned char>(c) < 0x80 ? c : '?';
    return escaped(out);
  }
  for (const uint32_t p : *points) {
    if (p == '&')
      out += "&amp;";
    else if (p == '<')
      out += "&lt;";
    else if (p == '>')
      out += "&gt;";
    else if (p == '"')
      out += "&quot;";
    else if (p == '\n')
      out += "&#10;";
    else if (p < 0x20 || p == 0xFFFE || p == 0xFFFF)
      out += '?';
    else
      append_utf8(p, out);
  }
  return out;
}

std::string property(const char* name, const std::string& value) {
  return fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name,
                     escaped(value));
}

std::string test_case(const std::string& name, const std::string& of,
                      const std::string& failure) {
  std::string out =
      fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"0\"",
                  escaped(name), escaped(of));
  if (failure.empty()) return out + "/>\n";
  return out +
         fmt::format(
             ">\n      <failure message=\"{0}\" type=\"limit\">{0}</failure>\n"
             "    </testcase>\n",
             escaped(failure));
}

std::string utc(std::time_t now) {
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return text;
}

}  // namespace

std::string junit_xml(const CompareResult& r, const CompareContext& context,
                      const std::string& suite, std::time_t now,
                      double seconds) {
  std::string package = suite;
  for (char& c : package)
    if (c == ' ') c = '.';
  std::string cases = test_case("every output can be compared", package,
                                r.comparable() ? "" : failures_text(r, {0}));
  size_t failed = !r.comparable();
  for (const Check& c : r.checks) {
    failed += !c.ok;
    cases += test_case(check_name(c), package, c.ok ? "" : check_text(c));
  }
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  out += fmt::format(
      "  <testsuite id=\"0\" package=\"{}\" name=\"{}\" tests=\"{}\" "
      "failures=\"{}\" errors=\"0\" skipped=\"0\" time=\"{:.3f}\" "
      "timestamp=\"{}\" hostname=\"localhost\">\n    <properties>\n",
      package, escaped(suite), r.checks.size() + 1, failed, seconds, utc(now));
  out += property("original", context.original);
  out += property("copy", context.copy);
  out += property("samples", r.samples_description);
  out += property("runtime", context.runtime_version);
  if (r.partial) out += property("partial", "true");
  out += "    </properties>\n" + cases;
  out += fmt::format("    <system-out>{}</system-out>\n    <system-err/>\n",
                     escaped(answers_text(r, {0})));
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace octavo
