// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// A source of a step's errors beside its single roundings: its sums of one role, or a function.
struct StepSource {
  SumRole role = SumRole::value;
  double FunctionErrors::*function = nullptr;  ///< null: it is the sums
  std::string_view name = {};                  ///< of the function
};

/// A step's value, or its adjoint.
struct StepPlace {
  std::size_t step = 0;
  bool adjoint = false;
};

/// The index of the operand that is, or leads to, the tensor of a gradient, and of which several
/// elements share one number; the count of operands if there is none.
std::size_t shared_operand(const GraphClaim& claim, const GraphStep& step,
                           const std::string& target);

/// The sources of a step that may reach the target. With given statistics a norm's own statistics
/// are no source.
std::vector<StepSource> sources_of(const GraphClaim& claim, const StepPlace& place,
                                   const std::string& target, bool given);

/// The contract with that source of the step left out: sums without an inexact addition, Welford's
/// with one, or an exact function. A division or a root keeps its one rounding.
GraphContract without(GraphContract contract, const std::string& value, const StepSource& source);

}  // namespace gradproof
