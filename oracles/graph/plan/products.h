// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/plan/plan.h"

namespace gradproof {

/// Gives a step that contracts two factors, by named axes or in windows, its sums of products: that
/// of its value, and those of the gradients of both factors, which are sums of products of the
/// cotangent with the other factor. `values` are the plan's, in its block, and `whole` has the
/// extents of all blocks. Throws UsageError for channels that do not fit their groups.
void add_products(PlanStep& step, const std::vector<PlanValue>& values, const GraphExtents& whole);

}  // namespace gradproof
