// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "oracles/differences/steps/step_choice.h"

namespace gradproof {

/// Differences D(h) and D(2h) of a tensor's numbers in the unit that `losses` stands at, one Entry
/// for each of `places`, or for every place where there are none given. The given ones are moved
/// one by one, as the method does it (PerturbedLoss::change_by).
Values<Entry> unit_pass(PerturbedLoss& losses, std::size_t tensor, const Unmoved& unmoved,
                        const StepChoice& choice, Method method,
                        const std::vector<std::int64_t>& places = {});

/// The same of every place in doubles, quickly; nothing where numbers are not finite, too large or
/// too small for that: then the entries must be asked for.
std::optional<Differences> quick_pass(PerturbedLoss& losses, std::size_t tensor,
                                      const StepChoice& choice, Method method);

/// As of entries; all must be finite.
double scale_of(const Differences& differences);

bool all_finite(const std::vector<double>& values);

/// The place of `differences` as an Entry: the same error and the same estimate.
Entry entry_of(const Differences& differences, std::size_t place, std::int64_t index);

}  // namespace gradproof
