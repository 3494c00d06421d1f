// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "oracles/differences/unit_at_rest.h"

namespace gradproof {

/// D(h) and D(2h) of a tensor's numbers in one unit, one Entry for each of `places`; without places
/// of every number. From PerturbedLoss::changes.
Values<Entry> unit_pass(const UnitAtRest& unit, const StepChoice& choice, Method method,
                        const std::vector<std::int64_t>& places = {});

/// unit_pass() of every number from PerturbedLoss::differences, which is quicker. Nothing where a
/// figure is not finite or leaves the range in which its doubles suffice.
std::optional<Values<Entry>> packed_pass(const UnitAtRest& unit, const StepChoice& choice,
                                         Method method);

/// The quickest of these: packed_pass() without places where it has a result; otherwise by the
/// method where that costs less than direct moves of the places.
Values<Entry> differenced(const UnitAtRest& unit, const StepChoice& choice, Method method,
                          const std::vector<std::int64_t>& places);

/// An entry from its claim and the sums of its changes: odd[k] and even[k] as in tableau.h.
Entry entry_of(std::int64_t index, const Real& claimed, const Real* odd, const Real* even,
               int order_index, int log2_h);

}  // namespace gradproof
