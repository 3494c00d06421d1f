// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "oracles/differences/steps/step_choice.h"

namespace gradproof {

/// D(h) and D(2h) of a tensor's numbers in the current unit of `losses`, one Entry for each of
/// `places`, moved one by one (PerturbedLoss::change_by). Without places: for every number of the
/// tensor (PerturbedLoss::changes).
Values<Entry> unit_pass(PerturbedLoss& losses, std::size_t tensor, const Unmoved& unmoved,
                        const StepChoice& choice, Method method,
                        const std::vector<std::int64_t>& places = {});

/// unit_pass() of every place in doubles. Nothing where a number is not finite or leaves the range
/// in which doubles suffice: then unit_pass() must be asked.
std::optional<Differences> quick_pass(PerturbedLoss& losses, std::size_t tensor,
                                      const StepChoice& choice, Method method);

/// scale_of() the entries (entry.h); all numbers must be finite.
double scale_of(const Differences& differences);

bool all_finite(const std::vector<double>& values);

/// The differences at a place as an Entry with the same D(h) - claimed and D(h) - D(2h).
Entry entry_of(const Differences& differences, std::size_t place, std::int64_t index);

}  // namespace gradproof
