// The parts of the HTML report, each "" where there is nothing to tell.
#pragma once

#include <string>

#include "report/html_report.h"

namespace octavo {

struct HtmlSection {
  std::string id, title, html;
};

std::string html_checks(const HtmlReport& report);
std::string html_sizes(const HtmlReport& report);
std::string html_fates(const HtmlReport& report);
std::string html_outputs(const HtmlReport& report);
std::string html_probes(const HtmlReport& report);
std::string html_layers(const HtmlReport& report);
std::string html_flips(const HtmlReport& report);
std::string html_speed(const HtmlReport& report);

}  // namespace octavo
