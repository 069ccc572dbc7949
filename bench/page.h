// Figures within a page of docs/: what stands between two marks is replaced.
#pragma once

#include <string>

namespace octavo::benchmarks {

// Puts `figures` between "<!-- NAME: make bench writes these -->" and
// "<!-- end of NAME -->". Throws Error(format) where the page lacks the marks.
void write_page(const std::string& page, const std::string& name,
                const std::string& figures);

// "2026-12-01, AMD EPYC, 2 cores; load of the machine: 0.50 0.40 0.30".
std::string circumstances();

}  // namespace octavo::benchmarks
