#include "quant/block_weight.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "kernels/quantize.h"

namespace octavo {
namespace {

using kernels::Affine;

float usable(double scale) {
  return std::abs(scale) < std::numeric_limits<float>::min()
             ? 1.0f
             : static_cast<float>(scale);
}

Affine form_of(float low, float high, double ratio, const BlockFormat& f) {
  low = std::min(low, 0.0f);
  high = std::max(high, 0.0f);
  if (f.symmetric) {
    const double extreme = static_cast<double>(-low > high ? low : high);
    return {usable(ratio * extreme / -f.middle()), f.middle()};
  }
  const double scale =
      usable(ratio * (static_cast<double>(high) - static_cast<double>(low)) /
             f.levels());
  const double zero = std::nearbyint(-ratio * static_cast<double>(low) / scale);
  return {static_cast<float>(scale),
          static_cast<int>(std::clamp<double>(zero, 0, f.levels()))};
}

uint64_t round_up(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// Two 4-bit values a byte, the first one low; `from` may be `to`.
void pack_nibbles(const uint8_t* from, size_t n, uint8_t* to) {
  for (size_t i = 0; i < n / 2; ++i)
    to[i] = static_cast<uint8_t>(from[2 * i] | from[2 * i + 1] << 4);
  if (n % 2 != 0) to[n / 2] = from[n - 1];
}

}  // namespace

BlockFormat block_format(const Recipe& recipe, int bits) {
  BlockFormat f;
  f.bits = bits;
  f.block = static_cast<int>(recipe.block);
  f.symmetric = !recipe.asymmetric;
  f.scaling = recipe.scaling;
  f.packed = !recipe.standard_ops;
  return f;
}

Affine fit_block(const float* w, size_t n, const BlockFormat& f) {
  const kernels::Range r = kernels::range_of(w, n);
  Affine best = form_of(r.low, r.high, 1, f);
  if (f.scaling != Scaling::mse) return best;
  double least = kernels::affine_error(w, n, best, f.levels());
  for (int i = 0; i < kShrinks && least > 0; ++i)
    for (const bool flip : {false, true}) {
      if (flip && !f.symmetric) continue;
      Affine a = form_of(r.low, r.high, shrink(i), f);
      if (flip) a.scale = -a.scale;
      const double error = kernels::affine_error(w, n, a, f.levels());
      if (error < least) {
        least = error;
        best = a;
      }
    }
  return best;
}

int64_t block_bytes(const BlockFormat& f, int64_t depth, int64_t outputs) {
  const int64_t blocks = (depth + f.block - 1) / f.block;
  int64_t values = (depth * outputs * f.bits + 7) / 8;
  if (f.packed) values = blocks * outputs * f.block * f.bits / 8;
  int64_t bytes = values + 4 * blocks * outputs;
  if (!f.symmetric)
    bytes += f.packed ? outputs * ((blocks * f.bits + 7) / 8)
                      : (blocks * outputs * f.bits + 7) / 8;
  return bytes;
}

BlockWeight::BlockWeight(const ModelData& model, const Constant& c,
                         bool by_output, const BlockFormat& format)
    : from_(model, c),
      by_output_(by_output),
      format_(format),
      depth_(by_output ? from_.cols() : from_.rows()),
      outputs_(by_output ? from_.rows() : from_.cols()) {
  weight = std::string(c.source->name);
}

uint64_t BlockWeight::blocks() const {
  return round_up(depth_, static_cast<uint64_t>(format_.block));
}

uint64_t BlockWeight::block_bytes() const {
  return static_cast<uint64_t>(format_.block * format_.bits / 8);
}

// Wide enough to read whole cache lines, and some 4 MB of floats at most.
uint64_t BlockWeight::tile() const {
  const uint64_t fits = (1 << 20) / std::max<uint64_t>(1, depth_);
  return std::clamp<uint64_t>(fits / 16 * 16, 16, 64);
}

void BlockWeight::read(uint64_t n, uint64_t ns, uint64_t k, uint64_t ks,
                       float* out) const {
  std::vector<float> buffer;
  if (by_output_) {
    for (uint64_t i = 0; i < ns; ++i)
      std::memcpy(out + i * ks, from_.read((n + i) * depth_ + k, ks, buffer),
                  ks * sizeof(float));
    return;
  }
  for (uint64_t j = 0; j < ks; ++j) {
    const float* row = from_.read((k + j) * outputs_ + n, ns, buffer);
    for (uint64_t i = 0; i < ns; ++i)  // floats of a file may start anywhere
      std::memcpy(out + i * ks + j, row + i, sizeof(float));
  }
}

Affine BlockWeight::fit(const float* w, uint64_t n) const {
  if (kernels::absmax_bits(w, n) >= kernels::kInfinityBits) {
    non_finite = true;  // nothing of this will be kept
    return {};
  }
  return fit_block(w, n, format_);
}

// A blob of the same number of bytes for each output (packed), or for each
// block along K (DequantizeLinear): whole rows are made at once.
class BlockWeight::Part : public LazyBytes {
 public:
  explicit Part(std::shared_ptr<const BlockWeight> w) : w_(std::move(w)) {}

 protected:
  const BlockFormat& format() const { return w_->format_; }
  uint64_t block() const { return static_cast<uint64_t>(format().block); }

  // Calls made(n, b, w, count) for the blocks of outputs [n0, n0 + ns) and
  // blocks [b0, b0 + bs) along K.
  template <typename Made>
  void for_blocks(uint64_t n0, uint64_t ns, uint64_t b0, uint64_t bs,
                  const Made& made) const {
    if (ns == 0 || bs == 0) return;
    const uint64_t k0 = b0 * block();
    const uint64_t ks = std::min(bs * block(), w_->depth_ - k0);
    std::vector<float> floats(ns * ks);
    w_->read(n0, ns, k0, ks, floats.data());
    for (uint64_t n = 0; n < ns; ++n)
      for (uint64_t b = 0; b < bs; ++b)
        made(n0 + n, b0 + b, floats.data() + n * ks + b * block(),
             std::min(block(), ks - b * block()));
  }

  // Of [N][...]: the outputs that bytes [begin, begin + size) are of, a few at
  // a time: act(first, how many, offset in the range).
  template <typename Act>
  void for_tiles(uint64_t begin, uint64_t size, uint64_t bytes_each,
                 const Act& act) const {
    const uint64_t first = begin / bytes_each;
    const uint64_t last = first + round_up(size, bytes_each);
    for (uint64_t n = first; n < last; n += w_->tile())
      act(n, std::min(w_->tile(), last - n), (n - first) * bytes_each);
  }

  std::shared_ptr<const BlockWeight> w_;
};

class BlockWeight::Values : public Part {
 public:
  using Part::Part;

  uint64_t grain() const override {
    return format().packed ? w_->tile() * row_bytes()
                           : w_->outputs_ * block() *
                                 static_cast<uint64_t>(format().bits) / 8;
  }

  void fill(uint64_t begin, std::span<std::byte> out) const override {
    auto* to = reinterpret_cast<uint8_t*>(out.data());
    if (format().packed)
      for_tiles(begin, out.size(), row_bytes(),
                [&](uint64_t n, uint64_t ns, uint64_t at) {
                  fill_packed(n, ns, to + at);
                });
    else
      for (uint64_t at = 0; at < out.size(); at += grain())
        fill_plain((begin + at) / grain(), to + at);
  }

  void release() const override { w_->from_.release(); }

 private:
  uint64_t row_bytes() const { return w_->blocks() * w_->block_bytes(); }

  void fill_packed(uint64_t n0, uint64_t ns, uint8_t* out) const {
    std::vector<uint8_t> q(block());
    for_blocks(
        n0, ns, 0, w_->blocks(),
        [&](uint64_t n, uint64_t b, const float* w, uint64_t count) {
          const Affine a = w_->fit(w, count);
          kernels::quantize_affine(w, count, a, format().levels(), q.data());
          std::fill(q.begin() + static_cast<ptrdiff_t>(count), q.end(),
                    static_cast<uint8_t>(a.zero));
          uint8_t* to = out + (n - n0) * row_bytes() + b * w_->block_bytes();
          if (format().bits == 4)
            pack_nibbles(q.data(), q.size(), to);
          else
            std::copy(q.begin(), q.end(), to);
        });
  }

  // One row of blocks of [K, N]; the last one may be lower.
  void fill_plain(uint64_t b, uint8_t* out) const {
    const uint64_t height = std::min(block(), w_->depth_ - b * block());
    std::vector<uint8_t> all(height * w_->outputs_), q(block());
    // Symmetric values are signed, with zero point 0.
    const auto turn =
        static_cast<uint8_t>(format().symmetric ? format().middle() : 0);
    for (uint64_t n0 = 0; n0 < w_->outputs_; n0 += w_->tile())
      for_blocks(n0, std::min(w_->tile(), w_->outputs_ - n0), b, 1,
                 [&](uint64_t n, uint64_t, const float* w, uint64_t count) {
                   kernels::quantize_affine(w, count, w_->fit(w, count),
                                            format().levels(), q.data());
                   for (uint64_t k = 0; k < count; ++k)
                     all[k * w_->outputs_ + n] =
                         static_cast<uint8_t>(q[k] ^ turn);
                 });
    if (format().bits == 4)
      pack_nibbles(all.data(), all.size(), out);
    else
      std::copy(all.begin(), all.end(), out);
  }
};

class BlockWeight::Scales : public Part {
 public:
  Scales(std::shared_ptr<const BlockWeight> w, float factor)
      : Part(std::move(w)), factor_(factor) {}

  uint64_t grain() const override {
    return format().packed ? w_->tile() * row_bytes()
                           : w_->outputs_ * sizeof(float);
  }

  void fill(uint64_t begin, std::span<std::byte> out) const override {
    if (format().packed)
      return for_tiles(begin, out.size(), row_bytes(),
                       [&](uint64_t n0, uint64_t ns, uint64_t at) {
                         fill_tile(n0, ns, 0, w_->blocks(), row_bytes(),
                                   sizeof(float), out.data() + at);
                       });
    for (uint64_t at = 0; at < out.size(); at += grain())
      for (uint64_t n = 0; n < w_->outputs_; n += w_->tile())
        fill_tile(n, std::min(w_->tile(), w_->outputs_ - n),
                  (begin + at) / grain(), 1, sizeof(float), 0,
                  out.data() + at + n * sizeof(float));
  }

 private:
  uint64_t row_bytes() const { return w_->blocks() * sizeof(float); }

  void fill_tile(uint64_t n0, uint64_t ns, uint64_t b0, uint64_t bs,
                 uint64_t per_output, uint64_t per_block,
                 std::byte* out) const {
    for_blocks(n0, ns, b0, bs,
               [&](uint64_t n, uint64_t b, const float* w, uint64_t count) {
                 const float s = w_->fit(w, count).scale * factor_;
                 std::memcpy(out + (n - n0) * per_output + (b - b0) * per_block,
                             &s, sizeof s);
               });
  }

  float factor_;
};

class BlockWeight::Zeros : public Part {
 public:
  using Part::Part;

  uint64_t row_bytes() const {
    return (w_->blocks() * static_cast<uint64_t>(format().bits) + 7) / 8;
  }
  // Rows of [blocks, N] may end within a byte: then all are made at once.
  uint64_t grain() const override {
    if (format().packed) return w_->tile() * row_bytes();
    const uint64_t bits = w_->outputs_ * static_cast<uint64_t>(format().bits);
    return bits % 8 == 0 ? bits / 8 : bits * w_->blocks() / 8 + 1;
  }

  void fill(uint64_t begin, std::span<std::byte> out) const override {
    auto* to = reinterpret_cast<uint8_t*>(out.data());
    if (format().packed)
      return for_tiles(begin, out.size(), row_bytes(),
                       [&](uint64_t n0, uint64_t ns, uint64_t at) {
                         for (uint64_t n = n0; n < n0 + ns; ++n)
                           put(zeros(n, 1, 0, w_->blocks()),
                               to + at + (n - n0) * row_bytes());
                       });
    const uint64_t per = static_cast<uint64_t>(8 / format().bits);
    const uint64_t first = begin * per / w_->outputs_;
    const uint64_t last = std::min(
        w_->blocks(), round_up((begin + out.size()) * per, w_->outputs_));
    std::vector<uint8_t> rows;
    for (uint64_t b = first; b < last; ++b) {
      const auto row = zeros(0, w_->outputs_, b, 1);
      rows.insert(rows.end(), row.begin(), row.end());
    }
    rows.resize(std::min<uint64_t>(rows.size(), out.size() * per));
    put(rows, to);
  }

 private:
  std::vector<uint8_t> zeros(uint64_t n0, uint64_t ns, uint64_t b0,
                             uint64_t bs) const {
    std::vector<uint8_t> all(ns * bs);
    for (uint64_t n = n0; n < n0 + ns; n += w_->tile())
      for_blocks(n, std::min(w_->tile(), n0 + ns - n), b0, bs,
                 [&](uint64_t at, uint64_t b, const float* w, uint64_t count) {
                   all[(at - n0) * bs + b - b0] =
                       static_cast<uint8_t>(w_->fit(w, count).zero);
                 });
    return all;
  }

  void put(const std::vector<uint8_t>& zeros, uint8_t* to) const {
    if (format().bits == 4)
      pack_nibbles(zeros.data(), zeros.size(), to);
    else
      std::copy(zeros.begin(), zeros.end(), to);
  }
};

Blob BlockWeight::values() {
  const uint64_t bits = static_cast<uint64_t>(format_.bits);
  const uint64_t size = format_.packed ? outputs_ * blocks() * block_bytes()
                                       : round_up(depth_ * outputs_ * bits, 8);
  return lazy_blob(size, std::make_shared<Values>(shared_from_this()));
}

Blob BlockWeight::scales(float factor) {
  return lazy_blob(outputs_ * blocks() * sizeof(float),
                   std::make_shared<Scales>(shared_from_this(), factor));
}

Blob BlockWeight::zeros() {
  const auto part = std::make_shared<Zeros>(shared_from_this());
  const uint64_t bits = static_cast<uint64_t>(format_.bits);
  return lazy_blob(format_.packed ? outputs_ * part->row_bytes()
                                  : round_up(outputs_ * blocks() * bits, 8),
                   part);
}

}  // namespace octavo
