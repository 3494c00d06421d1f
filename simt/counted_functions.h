// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "simt/counted.h"
#include "simt/simt.h"

/// CUDA's functions and vectors of float for Counted, for sources that are not generic over their
/// element. Argument-dependent lookup finds them; a function that is missing here does not compile.
/// Only the executor has them.
namespace simt {
inline namespace SIMT_VIEW {

struct Counted2 {
  Counted x, y;
};
struct Counted3 {
  Counted x, y, z;
};
struct Counted4 {
  Counted x, y, z, w;
};
inline Counted2 make_counted2(Counted x, Counted y) { return {x, y}; }
inline Counted3 make_counted3(Counted x, Counted y, Counted z) { return {x, y, z}; }
inline Counted4 make_counted4(Counted x, Counted y, Counted z, Counted w) { return {x, y, z, w}; }

#define SIMT_COUNTED_FUNCTION(name) \
  inline Counted name(Counted x) { return counted_anew(::name(x.value), x); }
SIMT_COUNTED_FUNCTION(expf)
SIMT_COUNTED_FUNCTION(exp2f)
SIMT_COUNTED_FUNCTION(expm1f)
SIMT_COUNTED_FUNCTION(logf)
SIMT_COUNTED_FUNCTION(log2f)
SIMT_COUNTED_FUNCTION(log10f)
SIMT_COUNTED_FUNCTION(log1pf)
SIMT_COUNTED_FUNCTION(sqrtf)
SIMT_COUNTED_FUNCTION(rsqrtf)
SIMT_COUNTED_FUNCTION(cbrtf)
SIMT_COUNTED_FUNCTION(erff)
SIMT_COUNTED_FUNCTION(erfcf)
SIMT_COUNTED_FUNCTION(tanhf)
SIMT_COUNTED_FUNCTION(sinhf)
SIMT_COUNTED_FUNCTION(coshf)
SIMT_COUNTED_FUNCTION(sinf)
SIMT_COUNTED_FUNCTION(cosf)
SIMT_COUNTED_FUNCTION(tanf)
SIMT_COUNTED_FUNCTION(atanf)
SIMT_COUNTED_FUNCTION(__expf)
SIMT_COUNTED_FUNCTION(__logf)
SIMT_COUNTED_FUNCTION(__frcp_rn)
SIMT_COUNTED_FUNCTION(__fsqrt_rn)
SIMT_COUNTED_FUNCTION(__saturatef)
#undef SIMT_COUNTED_FUNCTION

inline Counted powf(Counted a, Counted b) { return counted_anew(::powf(a.value, b.value), a, b); }
inline Counted atan2f(Counted a, Counted b) {
  return counted_anew(::atan2f(a.value, b.value), a, b);
}
inline Counted __fdividef(Counted a, Counted b) { return a / b; }
inline Counted __fdiv_rn(Counted a, Counted b) { return a / b; }
inline Counted __fmul_rn(Counted a, Counted b) { return a * b; }
inline Counted __fadd_rn(Counted a, Counted b) { return a + b; }
inline Counted __fsub_rn(Counted a, Counted b) { return a - b; }
inline Counted fmaf(Counted a, Counted b, Counted c) { return math::fma(a, b, c); }
inline Counted __fmaf_rn(Counted a, Counted b, Counted c) { return math::fma(a, b, c); }
inline Counted fabsf(Counted x) { return math::abs(x); }

/// The larger one of two numbers; if one is a NaN, the other.
inline Counted fmaxf(Counted a, Counted b) {
  return std::isnan(a.value) || a.value < b.value ? b : a;
}
inline Counted fminf(Counted a, Counted b) {
  return std::isnan(a.value) || b.value < a.value ? b : a;
}
inline Counted max(Counted a, Counted b) { return fmaxf(a, b); }
inline Counted min(Counted a, Counted b) { return fminf(a, b); }
inline bool isnan(Counted x) { return std::isnan(x.value); }
inline bool isinf(Counted x) { return std::isinf(x.value); }
inline bool isfinite(Counted x) { return std::isfinite(x.value); }

}  // namespace SIMT_VIEW
}  // namespace simt

template <>
struct std::numeric_limits<simt::Counted> : std::numeric_limits<float> {};
