// Whether int32 holds the sums of an integer product, judged from the real
// weights. Its one door is `reason_against_depth`.
//
// A sum is over (a - z) q: activations a and their zero point z from 0 to 255,
// int8 weights q. With P the sum of its positive weights and N that of its
// negative ones without their signs, it lies within 255 max(P, N) of zero. So
// does every part of it: ONNX Runtime's kernels begin with -z times the sum of
// q and then add a q, some with an instruction that saturates (vpdpbusds), and
// all that they hold on the way is a sum of (a - z) q, where a is 0 as long as
// it has not been added.
#pragma once

#include <string>

#include "quant/rules.h"

namespace octavo {

// Why the product [.., K, N] of `layout` may exceed int32, or "". Reads the
// weight only where K alone does not settle it: from 66312 on, or from 131587
// on in the reduced range.
std::string reason_against_depth(const NodeContext&, const Constant&,
                                 const WeightLayout&);

}  // namespace octavo
