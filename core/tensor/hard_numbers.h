// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/tensor/dtype.h"

namespace gradproof {

/// Numbers of the dtype at which arithmetic changes its ways, each itself in that dtype: zeros of
/// both signs, the ends of the subnormal and of the normal range, the neighbours of 1, half an ulp
/// of 1 (which added to 1, or to the odd number above it, is an exact tie), the square root of the
/// largest (its square overflows, rounded up), infinities and NaN. Of i64: 0, 1, and where float32
/// stops counting.
const std::vector<double>& hard_numbers(DType dtype);

}  // namespace gradproof
