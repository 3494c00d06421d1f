// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "properties/laws/law.h"

/// One law a file, in the folder of its kind.
namespace gradproof {

Law adjoint_identity();
Law cotangent_zero();
Law cotangent_negated();
Law cotangent_doubled();
Law cotangent_split();
Law dx_sum();
Law dx_along_x();
Law shift();
Law power_of_two();
Law sign();
Law sign_of_scale();
Law summands_alike();
Law rows_reordered();
Law columns_reordered();
Law groups_reordered();
Law rows_split();
Law rows_alone();
Law rows_independent();
Law rows_twice();
Law rows_invariant();
Law running_recurrence();
Law cumulative_average();
Law momentum_zero();
Law train_then_eval();
Law eval_keeps_buffers();
Law eval_between_steps();
Law backward_keeps_forward();
Law interleaved_calls();
Law two_instances();
Law call_sequences();
Law clean_runs();
Law everything_written();
Law layouts_alike();
Law overlap_refused();
Law bad_calls_refused();
Law gradients_by_choice();
Law repeatability();
Law schedules_alike();
Law nonfinite_reach();

}  // namespace gradproof
