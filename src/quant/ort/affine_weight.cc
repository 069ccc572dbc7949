#include "quant/ort/affine_weight.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace octavo::ort {

AffineWeight::AffineWeight(const ModelData& model, const Constant& c,
                           bool columns, int qmax, bool wide)
    : transposed_(c.transposed), columns_(columns), qmax_(qmax), wide_(wide) {
  weight = std::string(c.source->name);
  if (c.tensor->has_blob() && !model.blobs.at(c.tensor->blob()).lazy) {
    const Blob& blob = model.blobs[c.tensor->blob()];
    owner_ = blob.keep_alive;
    payload_ = blob.view;
  } else {
    auto copy = std::make_shared<std::vector<std::byte>>();
    const Bytes bytes = payload(model, *c.tensor, *copy);
    if (bytes.data() != copy->data()) copy->assign(bytes.begin(), bytes.end());
    payload_ = *copy;
    owner_ = std::move(copy);
  }
  const uint64_t count = payload_.size() / sizeof(float);
  cols_ = c.shape.empty() ? 1 : static_cast<uint64_t>(c.shape.back());
  rows_ = cols_ == 0 ? 0 : count / cols_;
}

float AffineWeight::at(uint64_t element) const {
  if (transposed_) element = element % cols_ * rows_ + element / cols_;
  float v;
  std::memcpy(&v, payload_.data() + element * sizeof v, sizeof v);
  return v;
}

uint64_t AffineWeight::group_of(uint64_t element) const {
  return columns_ ? element % cols_ : 0;
}

void AffineWeight::compute_groups() const {
  const uint64_t count = rows_ * cols_;
  std::vector<float> low(columns_ ? cols_ : 1, 0), high(low);
  for (uint64_t i = 0; i < count; ++i) {
    const float w = at(i);
    if (!std::isfinite(w)) non_finite = true;
    const uint64_t g = group_of(i);
    low[g] = std::min(low[g], w);
    high[g] = std::max(high[g], w);
  }
  groups_.resize(low.size());
  for (size_t g = 0; g < groups_.size() && count > 0; ++g) {
    const double exact =
        static_cast<double>(high[g]) - static_cast<double>(low[g]);
    const double scale =
        (wide_ ? exact : static_cast<double>(high[g] - low[g])) / qmax_;
    if (!(scale >= std::numeric_limits<float>::min()) || !std::isfinite(scale))
      continue;
    const double zero = std::nearbyint(-static_cast<double>(low[g]) / scale);
    groups_[g] = {static_cast<float>(scale),
                  static_cast<uint8_t>(std::clamp(zero, 0.0, 255.0))};
  }
}

const std::vector<AffineWeight::Group>& AffineWeight::groups() const {
  std::call_once(once_, [this] { compute_groups(); });
  return groups_;
}

// Bytes made of the groups and, of the values, the payload.
class AffineWeight::Part : public LazyBytes {
 public:
  enum class Kind { values, scales, zero_points };
  Part(std::shared_ptr<const AffineWeight> w, Kind kind)
      : w_(std::move(w)), kind_(kind) {}

  void fill(uint64_t begin, std::span<std::byte> out) const override {
    const auto& groups = w_->groups();
    switch (kind_) {
      case Kind::scales:
        for (size_t i = 0; i < out.size(); i += sizeof(float))
          std::memcpy(out.data() + i,
                      &groups[(begin + i) / sizeof(float)].scale,
                      sizeof(float));
        return;
      case Kind::zero_points:
        for (size_t i = 0; i < out.size(); ++i)
          out[i] = std::byte{groups[begin + i].zero_point};
        return;
      case Kind::values:
        for (size_t i = 0; i < out.size(); ++i) {
          const Group& g = groups[w_->group_of(begin + i)];
          const float q = std::nearbyint(w_->at(begin + i) / g.scale) +
                          static_cast<float>(g.zero_point);
          // Written so that NaN, for which nothing is kept, is defined, too.
          out[i] = std::byte{q > 0 ? static_cast<uint8_t>(std::min(q, 255.0f))
                                   : uint8_t{0}};
        }
        return;
    }
  }
  uint64_t grain() const override {
    return kind_ == Kind::scales ? sizeof(float) : 1;
  }

 private:
  std::shared_ptr<const AffineWeight> w_;
  Kind kind_;
};

Blob AffineWeight::values() {
  return lazy_blob(rows_ * cols_, std::make_shared<Part>(shared_from_this(),
                                                         Part::Kind::values));
}

Blob AffineWeight::scales() {
  return lazy_blob(
      (columns_ ? cols_ : 1) * sizeof(float),
      std::make_shared<Part>(shared_from_this(), Part::Kind::scales));
}

Blob AffineWeight::zero_points() {
  return lazy_blob(
      columns_ ? cols_ : 1,
      std::make_shared<Part>(shared_from_this(), Part::Kind::zero_points));
}

}  // namespace octavo::ort
