// Samples taken out of batches and put together anew, along the leading axis;
// and longer sequences. For tensors alone. Doors: `row_of`, `stacked`,
// `padded`.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "octavo/runner.h"

namespace octavo {

// Sample `index` of `count`, as a batch of one. Empty where an input or output
// is no tensor whose leading axis has `count` elements.
std::optional<Feed> row_of(const Feed& feed, int64_t index, int64_t count);
std::optional<Tensor> row_of(const Value& value, int64_t index, int64_t count);

// Batches of one, on top of each other. Empty where their shapes or types
// differ.
std::optional<Feed> stacked(std::span<const Feed> rows);

// `extra` more elements along `axis`, all equal to `fill`, an element's bytes;
// the axis may stand anywhere. Not for strings.
Tensor padded(const Tensor& tensor, size_t axis, int64_t extra, Bytes fill);
// The first `length` elements along `axis`.
Tensor cut(const Tensor& tensor, size_t axis, int64_t length);

}  // namespace octavo
