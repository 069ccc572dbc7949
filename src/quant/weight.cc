#include "quant/weight.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/affine.h"
#include "kernels/quantize.h"
#include "kernels/subnormals.h"
#include "kernels/transpose.h"

namespace octavo {
namespace {

constexpr size_t kBlock = 16384;     // elements converted at a time
constexpr uint64_t kSwapRows = 64;   // rows turned over at a time
constexpr uint64_t kErrorRows = 64;  // added up in float before double

int payload_axis(const Constant& c, int axis) {
  const int rank = static_cast<int>(c.shape.size());
  if (!c.transposed || axis < rank - 2) return axis;
  return axis == rank - 1 ? rank - 2 : rank - 1;
}

uint64_t product(const Shape& s, int begin, int end) {
  uint64_t n = 1;
  for (int i = begin; i < end; ++i)
    n *= static_cast<uint64_t>(s[static_cast<size_t>(i)]);
  return n;
}

}  // namespace

Shape quantized_shape(const Constant& c, const WeightLayout& layout) {
  Shape s = c.shape;
  if (layout.swap) std::swap(s[s.size() - 1], s[s.size() - 2]);
  return s;
}

int64_t scale_count(const Constant& c, const WeightLayout& layout) {
  if (layout.channel_axis < 0) return 1;
  const uint64_t n =
      product(c.shape, 0, layout.batch_axes) *
      product(c.shape, layout.channel_axis, layout.channel_axis + 1);
  return static_cast<int64_t>(n);
}

WeightGroups weight_groups(const Constant& c, const WeightLayout& layout) {
  const Shape shape = payload_shape(c);
  const int rank = static_cast<int>(shape.size());
  WeightGroups g;
  g.source = c.source;
  if (c.reordered) g.reordered_by = c.chain.front();
  g.offset = layout.offset;
  g.limit = layout.limit;
  if (layout.channel_axis < 0) {
    g.inner = product(shape, 0, rank);
  } else {
    const int axis = payload_axis(c, layout.channel_axis);
    g.batch = product(shape, 0, layout.batch_axes);
    g.outer = product(shape, layout.batch_axes, axis);
    g.channel = product(shape, axis, axis + 1);
    g.inner = product(shape, axis + 1, rank);
  }
  if (g.channel == 1) {  // one scale serves all of it: one long run
    g.inner *= g.outer;
    g.outer = 1;
  }
  return g;
}

bool is_swapped(const Constant& c, const WeightLayout& layout) {
  return c.transposed != layout.swap;
}

QuantizedWeight::QuantizedWeight(const ModelData& model, const Constant& c,
                                 const WeightGroups& groups, Scaling scaling)
    : from_(model, c), groups_(groups), scaling_(scaling) {
  weight = std::string(c.source->name);
}

void QuantizedWeight::compute_scales() const {
  std::vector<uint32_t> bits(groups_.batch * groups_.channel, 0);
  std::vector<float> buffer;
  uint64_t dropped = 0;
  const auto drop_behind = [&](uint64_t element) {
    constexpr uint64_t kStep = 1 << 20;  // elements; fewer calls, whole pages
    if (element < dropped + kStep) return;
    from_.drop(dropped, element - dropped);
    dropped = element;
  };
  for (uint64_t b = 0; b < groups_.batch; ++b) {
    uint32_t* of = bits.data() + b * groups_.channel;
    const uint64_t base = b * groups_.outer * groups_.channel * groups_.inner;
    if (groups_.inner == 1 && groups_.channel > 1) {
      const uint64_t step = std::max<uint64_t>(1, kBlock / groups_.channel);
      for (uint64_t r = 0; r < groups_.outer; r += step) {
        const uint64_t n = std::min(step, groups_.outer - r);
        kernels::absmax_bits_columns(
            from_.read(base + r * groups_.channel, n * groups_.channel, buffer),
            n, groups_.channel, of);
        drop_behind((r + n) * groups_.channel + base);
      }
      continue;
    }
    for (uint64_t run = 0; run < groups_.outer * groups_.channel; ++run) {
      uint32_t& best = of[run % groups_.channel];
      for (uint64_t i = 0; i < groups_.inner; i += kBlock) {
        const uint64_t n = std::min<uint64_t>(kBlock, groups_.inner - i);
        drop_behind(base + run * groups_.inner + i);
        best = std::max(
            best,
            kernels::absmax_bits(
                from_.read(base + run * groups_.inner + i, n, buffer), n));
      }
    }
  }
  scale_.resize(bits.size());
  for (size_t i = 0; i < bits.size(); ++i) {
    const bool finite = bits[i] < kernels::kInfinityBits;
    const double scale =
        finite
            ? static_cast<double>(std::bit_cast<float>(bits[i])) / groups_.limit
            : 0;
    if (!finite) non_finite = true;
    scale_[i] = scale < std::numeric_limits<float>::min()
                    ? 1.0f
                    : static_cast<float>(scale);
    // The largest float, as masks have it, must not come back as infinity.
    if (std::isinf(scale_[i] * static_cast<float>(groups_.limit)))
      scale_[i] = std::nextafter(scale_[i], 0.0f);
    smallest_scale_ = std::min(smallest_scale_, scale_[i]);
  }
}

void QuantizedWeight::shrink_scales() const {
  const std::vector<float> full = scale_;
  std::vector<double> least(full.size());
  std::vector<float> tried(full.size()), part, buffer;
  for (int i = 0; i < kShrinks; ++i) {
    for (size_t g = 0; g < full.size(); ++g) {
      const double shrunk = shrink(i) * static_cast<double>(full[g]);
      tried[g] = shrunk < std::numeric_limits<float>::min()
                     ? full[g]
                     : static_cast<float>(shrunk);
    }
    std::vector<double> error(full.size());
    for (uint64_t b = 0; b < groups_.batch; ++b) {
      const uint64_t base = b * groups_.outer * groups_.channel * groups_.inner;
      const size_t first = b * groups_.channel;
      if (groups_.inner == 1 && groups_.channel > 1) {
        for (uint64_t r = 0; r < groups_.outer; r += kErrorRows) {
          part.assign(groups_.channel, 0);
          const uint64_t end = std::min(r + kErrorRows, groups_.outer);
          for (uint64_t row = r; row < end; ++row)
            kernels::add_symmetric_errors(
                from_.read(base + row * groups_.channel, groups_.channel,
                           buffer),
                groups_.channel, tried.data() + first, groups_.limit,
                part.data());
          for (size_t c = 0; c < part.size(); ++c)
            error[first + c] += static_cast<double>(part[c]);
        }
        continue;
      }
      for (uint64_t run = 0; run < groups_.outer * groups_.channel; ++run) {
        const size_t g = first + run % groups_.channel;
        const kernels::Affine form = {tried[g], groups_.limit};
        for (uint64_t at = 0; at < groups_.inner; at += kBlock) {
          const uint64_t n = std::min<uint64_t>(kBlock, groups_.inner - at);
          error[g] += kernels::affine_error(
              from_.read(base + run * groups_.inner + at, n, buffer), n, form,
              2 * groups_.limit);
        }
      }
    }
    for (size_t g = 0; g < full.size(); ++g)
      if (i == 0 || error[g] < least[g]) {
        least[g] = error[g];
        scale_[g] = tried[g];
      }
  }
}

const std::vector<float>& QuantizedWeight::scale() const {
  std::call_once(once_, [this] {
    compute_scales();
    if (scaling_ == Scaling::mse && !non_finite) shrink_scales();
  });
  return scale_;
}

void QuantizedWeight::fill_straight(uint64_t at, std::span<int8_t> out) const {
  const std::vector<float>& scale = this->scale();
  const kernels::SubnormalsAsZero quick(smallest_scale_ >= kernels::kSafeScale);
  std::vector<float> buffer;
  const uint64_t row = groups_.channel * groups_.inner;
  while (!out.empty()) {
    const uint64_t b = at / (groups_.outer * row);
    const uint64_t c = at % row / groups_.inner;
    const float* s = scale.data() + b * groups_.channel + c;
    // Up to the end of the run that one scale, or one row of scales, serves.
    const bool columns = groups_.inner == 1 && groups_.channel > 1;
    const uint64_t run =
        columns ? groups_.channel - c : groups_.inner - at % groups_.inner;
    const size_t n = std::min<uint64_t>({out.size(), run, kBlock});
    const float* w = from_.read(at, n, buffer);
    if (columns)
      kernels::quantize_each(w, n, s, out.data());
    else
      kernels::quantize(w, n, *s, out.data());
    out = out.subspan(n);
    at += n;
  }
}

void QuantizedWeight::fill_swapped(uint64_t at, std::span<int8_t> out) const {
  const std::vector<float>& scale = this->scale();
  const kernels::SubnormalsAsZero quick(smallest_scale_ >= kernels::kSafeScale);
  std::vector<float> buffer;
  std::vector<int8_t> block;
  // Whole output rows, each a column of the payload's matrix `m`.
  while (!out.empty()) {
    const uint64_t m = at / (from_.rows() * from_.cols());
    const uint64_t c0 = at / from_.rows() % from_.cols();
    const size_t n =
        std::min<uint64_t>(out.size() / from_.rows(), from_.cols() - c0);
    block.resize(kSwapRows * n);
    for (uint64_t r0 = 0; r0 < from_.rows(); r0 += kSwapRows) {
      const size_t height = std::min<uint64_t>(kSwapRows, from_.rows() - r0);
      for (size_t r = 0; r < height; ++r) {
        const uint64_t element =
            (m * from_.rows() + r0 + r) * from_.cols() + c0;
        const float* w = from_.read(element, n, buffer);
        int8_t* q = block.data() + r * n;
        const uint64_t row = groups_.channel * groups_.inner;
        const uint64_t b = element / (groups_.outer * row);
        const float* s =
            scale.data() + b * groups_.channel + element % row / groups_.inner;
        if (groups_.inner == 1 && groups_.channel > 1)
          kernels::quantize_each(w, n, s, q);
        else
          kernels::quantize(w, n, *s, q);
      }
      kernels::transpose_bytes(block.data(), height, n, n, out.data() + r0,
                               from_.rows());
    }
    out = out.subspan(n * from_.rows());
    at += n * from_.rows();
  }
}

class QuantizedWeight::Values : public LazyBytes {
 public:
  Values(std::shared_ptr<const QuantizedWeight> w, bool swapped)
      : w_(std::move(w)), swapped_(swapped) {}

  void fill(uint64_t begin, std::span<std::byte> out) const override {
    const std::span<int8_t> q(reinterpret_cast<int8_t*>(out.data()),
                              out.size());
    if (swapped_) {
      w_->fill_swapped(begin, q);
    } else {
      w_->fill_straight(begin, q);
      w_->from_.drop(begin, q.size());
    }
    count(begin, q);
    // int8 v as uint8 v + 128: the top bit turned over.
    if (w_->groups_.offset)
      for (std::byte& v : out) v ^= std::byte{0x80};
  }

  // Rows that are turned over together, or counted together.
  uint64_t grain() const override {
    const bool odd = height() % 2 != 0 && w_->groups_.batch > 1;
    if (swapped_)
      return width() * (odd ? height() : std::min(height(), kSwapRows));
    if (w_->summed_ == Axis::none) return 1;
    return pairs_of_rows() ? width() * (odd ? height() : 2) : width();
  }

  void release() const override { w_->from_.release(); }

 private:
  // Of the matrices that are given.
  uint64_t height() const {
    return swapped_ ? w_->from_.cols() : w_->from_.rows();
  }
  uint64_t width() const {
    return swapped_ ? w_->from_.rows() : w_->from_.cols();
  }

  // Pairs along the summed axis: one below the other, or neighbours in a row.
  bool pairs_of_rows() const { return (w_->summed_ == Axis::cols) == swapped_; }

  // Whole rows, and whole pairs of them: see `grain`.
  void count(uint64_t begin, std::span<const int8_t> q) const {
    if (w_->summed_ == Axis::none || q.empty()) return;
    const size_t n = width();
    uint64_t pairs = 0, at_risk = 0;
    for (size_t row = 0; row < q.size() / n; ++row) {
      const int8_t* at = q.data() + row * n;
      if (!pairs_of_rows()) {
        pairs += n / 2;
        at_risk += kernels::count_saturating_neighbours(at, n / 2);
        continue;
      }
      const uint64_t k = (begin / n + row) % height();
      if (k % 2 != 0 || k + 1 == height()) continue;
      pairs += n;
      at_risk += kernels::count_saturating(at, at + n, n);
    }
    w_->pairs += pairs;
    w_->at_risk += at_risk;
  }

  std::shared_ptr<const QuantizedWeight> w_;
  bool swapped_;
};

class QuantizedWeight::Scales : public LazyBytes {
 public:
  Scales(std::shared_ptr<const QuantizedWeight> w, float factor)
      : w_(std::move(w)), factor_(factor) {}

  void fill(uint64_t begin, std::span<std::byte> out) const override {
    const std::vector<float>& scale = w_->scale();
    for (size_t i = 0; i < out.size(); i += sizeof(float)) {
      const float s = scale[(begin + i) / sizeof(float)] * factor_;
      std::memcpy(out.data() + i, &s, sizeof s);
    }
  }
  uint64_t grain() const override { return sizeof(float); }

 private:
  std::shared_ptr<const QuantizedWeight> w_;
  float factor_;
};

Blob QuantizedWeight::values(bool swapped) {
  return lazy_blob(
      groups_.batch * groups_.outer * groups_.channel * groups_.inner,
      std::make_shared<Values>(shared_from_this(), swapped));
}

Blob QuantizedWeight::scales(float factor) {
  return lazy_blob(groups_.batch * groups_.channel * sizeof(float),
                   std::make_shared<Scales>(shared_from_this(), factor));
}

}  // namespace octavo
