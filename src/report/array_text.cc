#include "report/array_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/element.h"
#include "report/text_width.h"

namespace octavo {
namespace {

constexpr int64_t kEdge = 3;  // elements shown at each end of a cut axis

// How the floats of one array are written.
struct FloatStyle {
  bool exponent = false;
  int decimals = 0;
};

std::string without_zeros(std::string digits) {
  while (digits.ends_with('0')) digits.pop_back();
  return digits;
}

int decimals_of(double value) {
  const std::string text = without_zeros(fmt::format("{:.8f}", value));
  return static_cast<int>(text.size() - text.find('.') - 1);
}

// Numpy's rule: an exponent where the values span more than fixed-point
// digits can show.
FloatStyle style_of(const std::vector<double>& values) {
  double smallest = 0, largest = 0;
  FloatStyle style;
  for (double value : values) {
    if (!std::isfinite(value) || value == 0) continue;
    const double magnitude = std::fabs(value);
    smallest = smallest == 0 ? magnitude : std::min(smallest, magnitude);
    largest = std::max(largest, magnitude);
    style.decimals = std::max(style.decimals, decimals_of(value));
  }
  style.exponent = largest >= 1e8 || (smallest > 0 && smallest < 1e-4);
  return style;
}

std::string float_text(double value, const FloatStyle& style) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (style.exponent) return fmt::format("{:.8e}", value);
  return style.decimals == 0 ? fmt::format("{:.0f}.", value)
                             : fmt::format("{:.{}f}", value, style.decimals);
}

std::string quoted(const std::string& text) {
  return "'" + printable(text) + "'";
}

class Printer {
 public:
  Printer(const Tensor& tensor, const ArrayTextOptions& options)
      : tensor_(tensor), width_(options.width) {
    const int64_t count = element_count(tensor.shape);
    cut_ = options.threshold > 0 && count > options.threshold;
    stride_.assign(tensor.shape.size(), 1);
    for (size_t k = tensor.shape.size(); k-- > 1;)
      stride_[k - 1] = stride_[k] * tensor.shape[k];
    if (count > 0) collect(0, 0);
    write_cells();
  }

  std::string text() {
    if (element_count(tensor_.shape) == 0) return "[]";
    std::string out;
    print(0, out);
    return out;
  }

 private:
  // The indices of an axis that are shown; -1 stands for what is left out.
  std::vector<int64_t> shown(size_t axis) const {
    const int64_t size = tensor_.shape[axis];
    std::vector<int64_t> out;
    const bool gap = cut_ && size > 2 * kEdge;
    for (int64_t i = 0; i < size; ++i) {
      if (gap && i == kEdge) {
        out.push_back(-1);
        i = size - kEdge;
      }
      out.push_back(i);
    }
    return out;
  }

  // Gathers the indices of the elements to show, in the order of printing.
  void collect(size_t axis, int64_t offset) {
    if (axis == tensor_.shape.size()) return indices_.push_back(offset);
    for (int64_t i : shown(axis))
      if (i >= 0) collect(axis + 1, offset + i * stride_[axis]);
  }

  bool is_float_like() const {
    const DType wide = widened_type(tensor_.type);
    return is_float(wide) || wide == DType::complex64 ||
           wide == DType::complex128;
  }

  std::string integer_text(int64_t i) const {
    if (tensor_.type == DType::boolean)
      return element_value(tensor_.type, tensor_.bytes, i) != 0 ? "True"
                                                                : "False";
    const auto at = static_cast<size_t>(i);
    if (tensor_.type == DType::int64)
      return std::to_string(tensor_.as<int64_t>()[at]);
    if (tensor_.type == DType::uint64)
      return std::to_string(tensor_.as<uint64_t>()[at]);
    return fmt::format("{:.0f}", element_value(tensor_.type, tensor_.bytes, i));
  }

  void write_cells() {
    if (tensor_.type == DType::string) {
      for (int64_t i : indices_)
        cells_.push_back(quoted(tensor_.strings[static_cast<size_t>(i)]));
    } else if (!is_float_like()) {
      for (int64_t i : indices_) cells_.push_back(integer_text(i));
    } else {
      write_floats();
    }
    for (const std::string& cell : cells_)
      cell_width_ = std::max(cell_width_, display_width(cell));
  }

  void write_floats() {
    const bool complex =
        tensor_.type == DType::complex64 || tensor_.type == DType::complex128;
    const DType part = tensor_.type == DType::complex64    ? DType::float32
                       : tensor_.type == DType::complex128 ? DType::float64
                                                           : tensor_.type;
    std::vector<double> values;
    for (int64_t i : indices_)
      for (int64_t k = 0; k < (complex ? 2 : 1); ++k)
        values.push_back(
            element_value(part, tensor_.bytes, complex ? 2 * i + k : i));
    const FloatStyle style = style_of(values);
    for (size_t i = 0; i < values.size(); ++i) {
      std::string cell = float_text(values[i], style);
      if (complex) {
        const std::string imaginary = float_text(values[++i], style);
        cell += (imaginary[0] == '-' ? "" : "+") + imaginary + "j";
      }
      cells_.push_back(std::move(cell));
    }
  }

  void print(size_t axis, std::string& out) {
    const size_t rank = tensor_.shape.size();
    if (axis == rank) {
      const std::string& cell = cells_[next_++];
      out += tensor_.type == DType::string ? pad_right(cell, cell_width_)
                                           : pad_left(cell, cell_width_);
      return;
    }
    out += '[';
    bool first = true;
    for (int64_t i : shown(axis)) {
      if (!first) separate(axis, i < 0 ? 3 : cell_width_, out);
      first = false;
      if (i < 0)
        out += "...";
      else
        print(axis + 1, out);
    }
    out += ']';
  }

  // Between two items of an axis: a space or a new line within a row, line
  // breaks between rows, one more for each further axis.
  void separate(size_t axis, int next_width, std::string& out) {
    const size_t rank = tensor_.shape.size();
    if (axis + 1 < rank) {
      out.append(rank - 1 - axis, '\n');
      out.append(axis + 1, ' ');
      return;
    }
    const size_t line = out.rfind('\n');
    const int used = display_width(
        line == std::string::npos ? std::string_view(out)
                                  : std::string_view(out).substr(line + 1));
    // Room for the brackets that may close behind it.
    if (used + 1 + next_width + static_cast<int>(rank) > width_) {
      out += '\n';
      out.append(rank, ' ');
    } else {
      out += ' ';
    }
  }

  const Tensor& tensor_;
  int width_;
  bool cut_ = false;
  std::vector<int64_t> stride_;
  std::vector<int64_t> indices_;
  std::vector<std::string> cells_;  // as printed, in order
  int cell_width_ = 0;
  size_t next_ = 0;
};

}  // namespace

std::string array_text(const Tensor& tensor, const ArrayTextOptions& options) {
  return Printer(tensor, options).text();
}

}  // namespace octavo
