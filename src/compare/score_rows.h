// One batch of a model's output as rows of doubles, one row a sample, from a
// tensor or from scikit-learn's ZipMap (a sequence of maps from class to
// score); and outputs that give the class itself. Doors: `score_rows`,
// `class_column`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/output_stats.h"
#include "octavo/value.h"

namespace octavo {

struct ScoreRows {
  int64_t width = 0;
  std::vector<double> values;      // count x width
  std::vector<int64_t> keys;       // a ZipMap's integer classes, by column
  std::vector<std::string> names;  // a ZipMap's text classes, by column
  Shape shape;                     // of the tensor; empty for a ZipMap

  std::span<const double> row(int64_t i) const {
    return std::span(values).subspan(static_cast<size_t>(i * width),
                                     static_cast<size_t>(width));
  }
};

// Rows of a floating tensor whose leading axis counts `place.count` samples
// (or of any tensor that is one sample's), or of a ZipMap. Empty: the value is
// neither.
std::optional<ScoreRows> score_rows(const Value& value, const Place& place);

// The classes that a model gives by itself, as scikit-learn's classifiers do:
// an integer, bool or string tensor of one element a sample. `texts` for
// strings, else `numbers`.
struct ClassColumn {
  std::vector<int64_t> numbers;
  std::vector<std::string> texts;
};
std::optional<ClassColumn> class_column(const Value& value, const Place& place);

}  // namespace octavo
