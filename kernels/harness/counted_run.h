// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "kernels/kernel.h"

namespace gradproof {

/// The additions counted on the way to a tensor's elements; each is the most of any element.
struct CountedAdditions {
  std::int64_t longest = 0;  ///< one after the other, without a product between
  std::int64_t path = 0;     ///< all of them on one way: no sum has a longer chain
};

/// The result of running a kernel's source on a number that counts.
struct CountedRun {
  ByName<CountedAdditions> tensors = {};  ///< outputs and gradients
  std::string lack = {};  ///< why nothing was counted; empty where nobody asked for it
};

/// Runs the Case again on numbers that count, in guarded memory as in the run before. A run that
/// ends in other bits than `got`, or with findings, counts nothing: it is another program then.
CountedRun count_additions(const Kernel& kernel, const Case& c, const Claim& claim,
                           const Tensors& inputs, const Execution& execution, const Tensors& got);

/// One reduction of a kernel's contract, and the longest chain that the kernel's source has.
struct CountedReduction {
  std::string name;
  std::int64_t declared = 0;
  std::int64_t counted = 0;
};

/// The reductions that a Case of a kernel of this tree has, each by itself: statistics by y, the
/// others by gradients from saved numbers that start anew. Chains of up to kAdditionsOfElement are
/// not those of a sum: each element goes through so many. Throws InstrumentError for a kernel that
/// no number counts in, and for a run that fails.
std::vector<CountedReduction> count_reductions(const Kernel& kernel, const Case& c);

/// ((weight xhat + beta) + bias) in forward and (g - mean) - xhat mean in backward add twice.
inline constexpr std::int64_t kAdditionsOfElement = 2;

}  // namespace gradproof
