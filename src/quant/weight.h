// One constant tensor as int8: what its bytes and scales will be, made when
// somebody asks for them. Symmetric: scale = max|w| / 127, or / 64 with a
// reduced range, for each group of elements (in float64, rounded to float32), q
// = w / scale rounded half to even. A scale that is no normal number becomes 1,
// and one whose 127-fold is infinite the float below it. With Scaling::mse the
// scale is 1.00, 0.975, ... or 0.50 of that, whichever makes the squared error
// of its group the smallest; the first of equals.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "graph/constant.h"
#include "model/blob.h"
#include "octavo/plan.h"
#include "quant/float_payload.h"

namespace octavo {

// How a constant is cut into groups that share a scale, and its output order.
struct WeightLayout {
  // Axes in the constant's own shape, as its user sees it.
  int channel_axis = -1;  // -1: one scale for all
  int batch_axes = 0;     // leading axes that have scales of their own
  bool swap = false;      // give it with its last two dimensions swapped
  bool offset = false;    // as uint8 with zero point 128
  int limit = 127;        // the largest |q|; 64 with a reduced range

  auto operator<=>(const WeightLayout&) const = default;
};

// The largest |q| of int8 weights in integer products.
inline int weight_limit(const Recipe& recipe) {
  return recipe.reduce_range ? 64 : 127;
}

// How the payload is cut into groups, whatever the order of the output: two
// users of a constant that agree in this can share one int8 form.
struct WeightGroups {
  const Definition* source = nullptr;
  const Definition* reordered_by = nullptr;  // where the payload was reordered
  // The payload as [batch][outer][channel][inner]; a scale for each batch and
  // channel.
  uint64_t batch = 1, outer = 1, channel = 1, inner = 1;
  bool offset = false;
  int limit = 127;

  auto operator<=>(const WeightGroups&) const = default;
};
WeightGroups weight_groups(const Constant& constant,
                           const WeightLayout& layout);
// True if the output has the last two dimensions of the payload swapped.
bool is_swapped(const Constant& constant, const WeightLayout& layout);

// What a plan needs to know before any byte is read.
Shape quantized_shape(const Constant& constant, const WeightLayout& layout);
int64_t scale_count(const Constant& constant, const WeightLayout& layout);

// Applied::Watch is what outlives the rewriting.
struct Applied::Watch {
  virtual ~Watch() = default;
  std::string weight;
  mutable std::atomic<bool> non_finite = false;
  mutable std::atomic<uint64_t> pairs = 0, at_risk = 0;
};

// The shrinkings that Scaling::mse tries, the full range first.
inline constexpr int kShrinks = 21;
constexpr double shrink(int i) { return 1 - 0.025 * i; }

class QuantizedWeight : public Applied::Watch,
                        public std::enable_shared_from_this<QuantizedWeight> {
 public:
  QuantizedWeight(const ModelData& model, const Constant& constant,
                  const WeightGroups& groups, Scaling scaling = Scaling::range);

  // The int8 (or uint8) values, in the payload's order or with the last two
  // dimensions swapped.
  Blob values(bool swapped);
  // Counts the pairs that could saturate while the values are made. Products
  // sum over the payload's columns where their user sees it swapped, else over
  // its rows.
  void count_pairs(bool swapped) {
    summed_ = swapped ? Axis::cols : Axis::rows;
  }
  // One float32 a group, each times `factor`; groups by batch, then channel.
  Blob scales(float factor);

 private:
  class Values;
  class Scales;

  const std::vector<float>& scale() const;  // computed at the first call
  void compute_scales() const;
  void fill_straight(uint64_t begin, std::span<int8_t> out) const;
  void fill_swapped(uint64_t begin, std::span<int8_t> out) const;

  // Shrinks scales where that makes the squared error of a group smaller.
  void shrink_scales() const;

  FloatPayload from_;
  WeightGroups groups_;
  Scaling scaling_;
  enum class Axis { none, rows, cols } summed_ = Axis::none;

  mutable std::once_flag once_;
  mutable std::vector<float> scale_;
  mutable float smallest_scale_ = std::numeric_limits<float>::max();
};

}  // namespace octavo
