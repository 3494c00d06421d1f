// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "properties/laws/trial.h"

namespace gradproof {

/// Training steps on fresh x and dy, each with the buffers that the one before left; the first has
/// the given numbers.
std::vector<LawRun> training_steps(Trial& t, const Case& c, const Tensors& first,
                                   std::int64_t count);

/// The buffers that a run left, in the place of those that the inputs have.
Tensors with_buffers_of(const LawRun& run, Tensors inputs);

/// The part of the new statistics that a step takes; of a cumulative average 1 / (batches so far).
double momentum_of(const LawRun& step);

}  // namespace gradproof
