// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "kernels/kernel.h"

namespace gradproof {

/// Additions that were counted on the way to a tensor's elements; each is the most of any of them.
struct CountedAdditions {
  std::int64_t longest = 0;  ///< one after the other, without a product between
  std::int64_t path = 0;     ///< all of them on one way: no sum has a longer chain
};

/// What a kernel's source did on a number that counts.
struct CountedRun {
  ByName<CountedAdditions> tensors = {};  ///< outputs and gradients
  std::string lack = {};  ///< why nothing was counted; empty where nobody asked for it
};

/// Runs the Case again on numbers that count. A run that ends in other bits than `got`, or with
/// findings, counts nothing: it is of another program then.
CountedRun count_additions(const Kernel& kernel, const Case& c, const Claim& claim,
                           const Tensors& inputs, const Execution& execution, const Tensors& got);

}  // namespace gradproof
