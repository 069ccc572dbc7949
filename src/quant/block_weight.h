// One constant matrix [K, N] as 4- or 8-bit integers in blocks: each `block`
// neighbours along K share a scale and a zero point. Nothing is kept: each
// range of bytes is made from the floats when somebody asks for it.
//
// w ~ scale (q - zero), q from 0 to 2^bits - 1.
// symmetric   zero = 2^(bits-1), scale = e / -zero with e the weight of the
//             largest magnitude, so that e is met exactly (its negative is
//             one step too far); as ONNX Runtime's quantizer and GGML's Q4_0
// asymmetric  scale = (max - min) / (2^bits - 1), zero = round(-min / scale),
//             with 0 between min and max
// With Scaling::mse, the range is shrunk to r = 1.00, 0.975, ... 0.50 of that,
// for symmetric blocks with either sign, and the least squared error wins; the
// full range comes first, so that the error is never larger.
#pragma once

#include "kernels/affine.h"
#include "quant/weight.h"

namespace octavo {

struct BlockFormat {
  int bits = 4;
  int block = 32;
  bool symmetric = true;
  Scaling scaling = Scaling::range;
  // MatMulNBits: packed [N][blocks along K], a block's values together, padded
  // with zeros; else as [K, N], for DequantizeLinear.
  bool packed = true;

  auto operator<=>(const BlockFormat&) const = default;
  int levels() const { return (1 << bits) - 1; }
  int middle() const { return 1 << (bits - 1); }
};

BlockFormat block_format(const Recipe& recipe, int bits);

// The form of one block of finite weights.
kernels::Affine fit_block(const float* w, size_t n, const BlockFormat& format);

class BlockWeight : public Applied::Watch,
                    public std::enable_shared_from_this<BlockWeight> {
 public:
  // `by_output`: the payload's rows are the N outputs, K in each; else the
  // other way round.
  BlockWeight(const ModelData& model, const Constant& constant, bool by_output,
              const BlockFormat& format);

  uint64_t depth() const { return depth_; }      // K
  uint64_t outputs() const { return outputs_; }  // N
  uint64_t blocks() const;                       // along K
  uint64_t block_bytes() const;                  // of one block's values

  Blob values();
  Blob scales(float factor);
  // As wide as the values and packed as they are.
  Blob zeros();

 private:
  class Part;
  class Values;
  class Scales;
  class Zeros;

  // Floats of outputs [n, n + ns) and depths [k, k + ks), as out[n][k].
  void read(uint64_t n, uint64_t ns, uint64_t k, uint64_t ks, float* out) const;
  // The form of a block, and whether it is finite.
  kernels::Affine fit(const float* w, uint64_t n) const;
  uint64_t tile() const;  // outputs that are made together

  FloatPayload from_;
  bool by_output_;
  BlockFormat format_;
  uint64_t depth_, outputs_;
};

// What a decision says of it: bytes with scales and zero points.
int64_t block_bytes(const BlockFormat& format, int64_t depth, int64_t outputs);

}  // namespace octavo
