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

/// Runs the Case again on numbers that count, in guarded memory as the run before it. A run that
/// ends in other bits than `got`, or with findings, counts nothing: it is of another program then.
CountedRun count_additions(const Kernel& kernel, const Case& c, const Claim& claim,
                           const Tensors& inputs, const Execution& execution, const Tensors& got);

/// One reduction of a kernel's contract beside the longest chain that its source has.
struct CountedReduction {
  std::string name;
  std::int64_t declared = 0;
  std::int64_t counted = 0;
};

/// The reductions that a Case of a kernel of this tree has, each by itself: statistics by y, the
/// others by gradients from saved numbers that start anew. Chains of up to kAdditionsOfElement are
/// none of a sum: each element goes through so many. Throws InstrumentError for a kernel that no
/// number counts in, and for a run that fails.
std::vector<CountedReduction> count_reductions(const Kernel& kernel, const Case& c);

/// ((weight xhat + beta) + bias) on the way there, (g - mean) - xhat mean on the way back.
inline constexpr std::int64_t kAdditionsOfElement = 2;

}  // namespace gradproof
