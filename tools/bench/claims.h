// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/claim/claim.h"

namespace gradproof {

/// A claim that is timed, and numbers for it.
struct BenchClaim {
  std::string name;
  Claim claim;
  Tensors inputs;
};

/// BatchNorm alone, P97's chain, the swish chain of P88 (columns of 1024 rows each) and P88's chain
/// with its GroupNorm (groups of 64 and of 1024 channels); float32, standard normal numbers.
std::vector<BenchClaim> bench_claims();

}  // namespace gradproof
