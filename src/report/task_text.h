// What labels told, in words and as a table: metrics of both models, what
// chance may have done, and the samples whose answer flipped.
#pragma once

#include <string>

#include "octavo/compare.h"
#include "report/colour.h"
#include "report/table.h"

namespace octavo {

// A class as a person knows it: its name, else its number.
std::string class_text(const AnswerSummary& answers, int64_t id);

// A metric's value: percent for shares, else four significant digits.
std::string metric_text(const MetricSummary& metric,
                        const std::optional<double>& value);
// "-0.25 points; 95 %: -0.70 to +0.20"; "undefined".
std::string change_text(const MetricSummary& metric);

// A line for each metric and for what is known of the answers.
std::string answers_text(const CompareResult& result,
                         const TextOptions& options);

std::string flips_title(const AnswerSummary& answers);
Table flips_table(const AnswerSummary& answers);

}  // namespace octavo
