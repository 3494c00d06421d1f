// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/plan/plan.h"

namespace gradproof {

/// The sums of products of a step that contracts two factors, by named axes or in windows: that of
/// its value, and those of the gradients of both factors, which are sums of products of the
/// cotangent with the other factor. The values are the plan's, in its block. Throws UsageError for
/// channels that their groups do not divide.
std::vector<SumsOfProducts> products_of(const GraphStep& step, const PlanValue& first,
                                        const PlanValue& second, const PlanValue& value);

}  // namespace gradproof
