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

/// unit_pass() of every number from PerturbedLoss::differences, which is quicker. nullopt if a
/// figure is not finite or leaves the range in which its doubles suffice.
std::optional<Values<Entry>> packed_pass(const UnitAtRest& unit, const StepChoice& choice,
                                         Method method);

/// The entries at `places` by packed_pass() if it has a result, else by unit_pass().
Values<Entry> by_method(const UnitAtRest& unit, const StepChoice& choice, Method method,
                        const std::vector<std::int64_t>& places);

/// by_method() if it costs less than direct moves of the places, or without places; else direct
/// moves.
Values<Entry> differenced(const UnitAtRest& unit, const StepChoice& choice, Method method,
                          const std::vector<std::int64_t>& places);

/// The changes of L by moves of one number: odd and even as in tableau.h, by step, the finest
/// first.
struct TwoSidedChanges {
  Values<Digits400> odd;
  Values<Digits400> even;
};

/// The changes by the numbers at the places (PerturbedLoss::changes), moved by +-2^finest, ...,
/// +-2^coarsest of the scale of moves.
std::vector<TwoSidedChanges> two_sided(const UnitAtRest& unit,
                                       const std::vector<std::int64_t>& places, Method method,
                                       int finest, int coarsest);

/// An entry from its changes, the finest of which is at `at`.
Entry entry_of(const UnitAtRest& unit, std::int64_t place, const TwoSidedChanges& changes,
               std::size_t at, const StepChoice& choice);

}  // namespace gradproof
