// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "oracles/graph/plan/plan.h"

namespace gradproof {

/// Throws UsageError for groups that the step cannot work on: no more numbers than the correction
/// have no variance, and an odd number has no halves.
void require_fitting_groups(const PlanStep& s);

/// The number of groups that a group_norm cuts the value's channels into; 1 for any other step.
/// Throws UsageError if the groups do not divide the channels.
std::int64_t groups_of(const GraphStep& step, const PlanValue& value);

/// The first step with the same groups as s; the index of s itself if none is before it.
int first_with_groups(const std::vector<PlanStep>& before, const PlanStep& s);

/// Finds the scale in front of the last step (PlanStep::scaled_by), whose value no other step takes
/// but running statistics.
void find_scale_in_front(std::vector<PlanStep>& steps, const Graph& graph);

}  // namespace gradproof
