// OutputStats -> OutputSummary: the measures, and notes in words on whatever
// is undefined or compared in a lesser way.
#include <fmt/format.h>

#include <cmath>

#include "compare/element.h"
#include "compare/measures.h"
#include "compare/output_stats.h"

namespace octavo {
namespace {

void note_numeric(OutputSummary& o, const FloatSums& s) {
  if (o.type == DType::complex64 || o.type == DType::complex128)
    o.notes.push_back(
        "complex: real and imaginary parts count as elements of their own");
  if (s.finite == 0) {
    if (o.elements > 0)
      o.notes.push_back("no pair of finite values: no measure is defined");
    return;
  }
  if (!std::isfinite(s.squares) || !std::isfinite(s.dot) ||
      !std::isfinite(s.reference) || !std::isfinite(s.candidate)) {
    o.notes.push_back(
        "sums of squares overflow float64: RMSE, cosine, relative L2 and SQNR "
        "are undefined");
    return;
  }
  if (s.reference == 0 && s.candidate == 0)
    o.notes.push_back("cosine is undefined: both sides are all zeros");
  else if (s.reference == 0)
    o.notes.push_back(
        "cosine, relative L2 and SQNR are undefined: the original is all "
        "zeros");
  else if (s.candidate == 0)
    o.notes.push_back("cosine is undefined: the copy is all zeros");
}

}  // namespace

OutputSummary finish(const OutputStats& s) {
  OutputSummary o;
  o.name = s.name;
  o.type = s.type;
  o.measure = s.batches > 0 ? measure_of(s.type) : Measure::none;
  o.last_shape = s.last_shape;
  o.batches = s.batches;
  o.elements = s.elements;
  o.equal = s.equal;
  o.non_finite = s.sums.non_finite;
  o.worst = s.worst;
  o.first_non_finite = s.first_non_finite;
  o.failed_batches = s.failed_batches;
  o.first_failed_batch = s.first_failed_batch;
  o.failure = s.failure;
  if (o.batches > 0 && o.elements == 0)
    o.notes.push_back("empty: there is nothing to compare");
  switch (o.measure) {
    case Measure::numeric:
      if (s.sums.finite > 0) o.max_abs = s.sums.max;
      o.mean_abs = mean_abs(s.sums);
      o.rmse = rmse(s.sums);
      o.cosine = cosine(s.sums);
      o.relative_l2 = relative_l2(s.sums);
      o.sqnr_db = sqnr_db(s.sums);
      o.spread = finish(s.spread);
      finish(s.views, o);
      note_numeric(o, s.sums);
      break;
    case Measure::integer:
      if (s.elements > 0) o.max_abs = s.max_step;
      break;
    case Measure::exact:
      break;
    case Measure::none:
      break;
  }
  return o;
}

}  // namespace octavo
