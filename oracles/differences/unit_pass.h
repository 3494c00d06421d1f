// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "oracles/differences/entry.h"
#include "oracles/differences/steps/tableau.h"
#include "oracles/differences/unit_at_rest.h"

namespace gradproof {

/// D(h) and D(2h) of a tensor's numbers in one unit, one Entry for each of `places`, moved one by
/// one (PerturbedLoss::change_by). Without places: for every number (PerturbedLoss::changes).
Values<Entry> unit_pass(const UnitAtRest& unit, const StepChoice& choice, Method method,
                        const std::vector<std::int64_t>& places = {});

/// unit_pass() of every place in doubles. Nothing where a number is not finite or leaves the range
/// in which doubles suffice: then unit_pass() must be asked.
class QuickPass {
 public:
  static std::optional<QuickPass> of(const UnitAtRest& unit, const StepChoice& choice,
                                     Method method);

  const Values<EntryOf<double>>& entries() const { return entries_; }
  /// scale_of() the entries.
  double scale() const { return scale_; }
  /// The entry in Real, with the whole claim.
  Entry in_full(std::size_t place) const;

 private:
  explicit QuickPass(Differences found) : differences_(std::move(found)) {}

  Differences differences_;
  Values<EntryOf<double>> entries_;
  double scale_ = 0;
};

/// An entry from its claim and the sums of its changes: odd[k] and even[k] as in tableau.h.
Entry entry_of(std::int64_t index, const Real& claimed, const Real* odd, const Real* even,
               int order_index, int log2_h);

}  // namespace gradproof
