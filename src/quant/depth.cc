#include "quant/depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace octavo {
namespace {

constexpr int64_t kMaxSum = std::numeric_limits<int32_t>::max() / 255;

// The largest sum of weights of one sign that a column of [.., K, N] has.
int64_t largest_sum(const ModelData& model, const Constant& c,
                    const WeightLayout& layout, uint64_t depth,
                    uint64_t columns, Scaling scaling) {
  const auto weight = std::make_shared<QuantizedWeight>(
      model, c, weight_groups(c, layout), scaling);
  const Blob values = weight->values(is_swapped(c, layout));
  // Some 64 KiB at a time, in whole rows, as the weight likes it.
  const uint64_t rows = 64 * std::max<uint64_t>(1, 1024 / columns);
  const uint64_t step = std::max(rows * columns, values.lazy->grain());
  std::vector<std::byte> bytes(std::min(step, values.size));
  std::vector<int64_t> positive(columns), negative(columns);
  int64_t most = 0;
  for (uint64_t at = 0, row = 0; at < values.size; at += step) {
    const uint64_t n = std::min(step, values.size - at);
    values.lazy->fill(at, {bytes.data(), n});
    const auto* q = reinterpret_cast<const int8_t*>(bytes.data());
    for (const int8_t* end = q + n; q < end; q += columns) {
      for (uint64_t i = 0; i < columns; ++i) {
        positive[i] += std::max<int>(q[i], 0);
        negative[i] += std::max<int>(-q[i], 0);
      }
      if (++row % depth != 0) continue;  // a matrix has not ended
      for (auto* sums : {&positive, &negative}) {
        most = std::max(most, *std::max_element(sums->begin(), sums->end()));
        std::fill(sums->begin(), sums->end(), 0);
      }
    }
  }
  values.lazy->release();
  // Found again, and acted upon, when the weight is written.
  return weight->non_finite ? 0 : most;
}

}  // namespace

std::string reason_against_depth(const NodeContext& ctx, const Constant& c,
                                 const WeightLayout& layout) {
  const Shape shape = quantized_shape(c, layout);
  const int64_t depth = shape[shape.size() - 2];
  if (depth <= kMaxSum / layout.limit) return "";
  const int64_t most =
      largest_sum(ctx.index.model(), c, layout, static_cast<uint64_t>(depth),
                  static_cast<uint64_t>(shape.back()), ctx.recipe.scaling);
  if (most <= kMaxSum) return "";
  return fmt::format(
      "a sum of its {} products may come to 255 times {}, and int32 holds 255 "
      "times {}",
      depth, most, kMaxSum);
}

}  // namespace octavo
