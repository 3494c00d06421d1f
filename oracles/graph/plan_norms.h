// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "oracles/graph/plan.h"

namespace gradproof {

/// Throws UsageError for groups that the step cannot work on: of no more numbers than the
/// correction there is no variance, and an odd number has no halves.
void require_fitting_groups(const PlanStep& s);

/// How many groups a group_norm cuts the value's channels into; of any other step 1. Throws
/// UsageError where they do not divide them.
std::int64_t groups_of(const GraphStep& step, const PlanValue& value);

/// The step itself, the next one, where none before it has the same groups.
int first_with_groups(const std::vector<PlanStep>& before, const PlanStep& s);

/// Finds the scale in front of the last step (PlanStep::scaled_by), whose value nobody else takes
/// but for running statistics.
void find_scale_in_front(std::vector<PlanStep>& steps, const Graph& graph);

}  // namespace gradproof
