// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "simt/counted.h"

/// Numbers of 16 bits for code that adds in float: each holds a Counted that is rounded to 16 bits.
/// Only the executor has them.
namespace simt {
inline namespace SIMT_VIEW {

/// Storing a number is no addition, and leaves the counts of its additions as they are.
template <class Stored>
struct CountedStored {
  Counted number;

  CountedStored() = default;  // trivial, as shared memory needs it
  CountedStored(Stored v) : number(static_cast<float>(v)) {}
  CountedStored(float v) : CountedStored(Stored(v)) {}
  CountedStored(Counted n)
      : number(static_cast<float>(Stored(n.value)), n.depth, n.longest, n.path) {}
  operator Counted() const { return number; }

  friend CountedStored operator+(CountedStored a, CountedStored b) { return a.number + b.number; }
  friend CountedStored operator-(CountedStored a, CountedStored b) { return a.number - b.number; }
  friend CountedStored operator*(CountedStored a, CountedStored b) { return a.number * b.number; }
  friend CountedStored operator/(CountedStored a, CountedStored b) { return a.number / b.number; }
  friend CountedStored operator-(CountedStored a) { return -a.number; }
};
using CountedHalf = CountedStored<__half>;
using CountedBfloat16 = CountedStored<__nv_bfloat16>;

inline Counted __half2float(CountedHalf x) { return x; }
inline CountedHalf __float2half(Counted x) { return x; }
inline CountedHalf __float2half_rn(Counted x) { return x; }
inline Counted __bfloat162float(CountedBfloat16 x) { return x; }
inline CountedBfloat16 __float2bfloat16(Counted x) { return x; }
inline CountedBfloat16 __float2bfloat16_rn(Counted x) { return x; }

}  // namespace SIMT_VIEW
}  // namespace simt
