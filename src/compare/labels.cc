#include "compare/labels.h"

#include <fmt/format.h>

#include <cmath>

#include "base/element.h"
#include "compare/element.h"
#include "octavo/error.h"

namespace octavo {
namespace {

// A double holds these whole numbers one by one.
constexpr double kWhole = 9007199254740992;  // 2^53

bool all_whole(const Tensor& t, int64_t count) {
  if (is_integer(t.type) || t.type == DType::boolean) return true;
  if (!is_float(t.type)) return false;
  for (int64_t i = 0; i < count; ++i) {
    const double v = element_value(t.type, t.bytes, i);
    if (!(std::abs(v) <= kWhole) || v != std::trunc(v)) return false;
  }
  return true;
}

}  // namespace

Labels::Labels(const Tensor& tensor) : tensor_(tensor) {
  const bool label_type = is_float(tensor.type) || is_integer(tensor.type) ||
                          tensor.type == DType::boolean ||
                          tensor.type == DType::string;
  if (!label_type || tensor.shape.empty())
    throw Error(ErrorKind::usage,
                fmt::format("the labels are {} {}, but must be numbers or "
                            "names whose leading axis counts samples, such as "
                            "integers [N]",
                            dtype_name(tensor.type), shape_text(tensor.shape)));
  const int64_t count = element_count(tensor.shape);
  samples_ = tensor.shape[0];
  width_ = samples_ > 0 ? count / samples_ : 0;
  whole_ = all_whole(tensor, count);
}

int64_t Labels::integer(int64_t sample, int64_t at) const {
  const int64_t i = sample * width_ + at;
  if (is_float(tensor_.type))
    return static_cast<int64_t>(element_value(tensor_.type, tensor_.bytes, i));
  return integer_at(tensor_.type, tensor_.bytes, i);
}

double Labels::number(int64_t sample, int64_t at) const {
  return element_value(tensor_.type, tensor_.bytes, sample * width_ + at);
}

std::string Labels::name(int64_t sample) const {
  if (text()) return tensor_.strings[static_cast<size_t>(sample * width_)];
  return whole() ? fmt::format("{}", integer(sample))
                 : fmt::format("{}", number(sample));
}

}  // namespace octavo
