// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/claim/contract.h"

namespace gradproof {

/// The choice that the stages make among mathematically equal formulas. The truth does not depend
/// on the choice, the rounding errors do.
struct Forms {
  bool affine_folded = false;
  NormBackward backward = NormBackward::standardized;
  RunningUpdate running = RunningUpdate::weighted;
};

/// The errors that all elements of a unit share: of the mean, of 1/std, of two backward sums.
enum class SharedError { mean, rstd, first_sum, second_sum };
inline constexpr std::size_t kSharedErrors = 4;

}  // namespace gradproof
