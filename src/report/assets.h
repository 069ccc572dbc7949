// Files that the HTML report carries within it. The build turns those of
// src/report/assets/ and Chart.js into bytes of the program
// (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace octavo {

std::string_view report_css() noexcept;
std::string_view report_js() noexcept;
// Chart.js as one script, its licence included; empty in a build that found
// none: then the report has tables and no charts.
std::string_view chart_js() noexcept;

}  // namespace octavo
