// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/graph/samples/sample_plan.h"
#include "judge/graph/samples/run_part.h"

namespace gradproof {

/// The part of the run that the plan has of its targets. Half of its places at most are those of
/// the elements that are furthest from `guide`.
RunPart sampled_part(const GraphRun& run, const SamplePlan& plan, const Tensors& guide);

/// The run with masks in place of steps that know places along two axes
/// (core/graph/samples/masks.h).
GraphRun with_masks(GraphRun run);

/// LibTorch's float64 of the whole graph, which says where a part should lie. It is empty where
/// there is no LibTorch, and where it would take more than kMostOfGuide bytes or kMostWorkOfGuide.
Tensors guide_of(const GraphRun& run);

}  // namespace gradproof
