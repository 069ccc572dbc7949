// A limit and what was measured, as words: shared by all reports.
#pragma once

#include <string>

#include "octavo/compare.h"

namespace octavo {

// "logits.cosine >= 0.999", "flips <= 1 %".
std::string check_name(const Check& check);

// What was measured: "0.99312", "1.25 %", "not measured".
std::string measured_text(const Check& check);

// "logits.cosine: 0.99312, limit >= 0.999; >= 0.99312 would pass".
std::string check_text(const Check& check);

}  // namespace octavo
