// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/tensor/dtype.h"

namespace gradproof {

/// Numbers of the dtype, each exact in it, around which arithmetic changes its behaviour: zeros of
/// both signs, the ends of the subnormal and of the normal range, the neighbours of 1, half an ulp
/// of 1 (which added to 1, or to the odd number above it, is an exact tie), the square root of the
/// largest number (its square overflows, rounded up), infinities and NaN. For i64: 0, 1, 2^24 and
/// 2^24 + 1, the first whole number that float32 lacks.
const std::vector<double>& hard_numbers(DType dtype);

}  // namespace gradproof
