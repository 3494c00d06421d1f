// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/case/case.h"
#include "core/claim/claim.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// Faults that the reference can be given, so that a comparison shows it would see them.
enum class Fault {
  none,
  unbiased_variance,
  eps_outside_root,
  no_mean_term,
  no_xhat_term,
  last_channel_dropped,
  weight_outside_sums
};

/// A tensor of plain double loops. `size` is the sum of the absolute values of what was added to a
/// number, what a relative error of its terms is measured by.
struct Expected {
  std::vector<double> value, size;
};

/// Forward and backward of a Case of one of the three systems with a GroupNorm, in double, straight
/// from the formula: one row of a group at a time, no parallel sums.
std::map<std::string, Expected> reference_of(const Case& c, const Claim& claim,
                                             const Tensors& inputs, Fault fault);

}  // namespace gradproof
