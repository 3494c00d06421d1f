// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/steps/sampled_entries.h"
#include "oracles/differences/steps/step_choice.h"
#include "oracles/differences/tally.h"

namespace gradproof {

/// What one arithmetic left open in one unit.
struct UnresolvedEntries {
  SampledEntries places;
  Real scale;  ///< of the unit, as far as it is known
  AuditArithmetic arithmetic = AuditArithmetic::double_double;  ///< that has been select_step
  bool confirming = false;                                      ///< it called them wrong
};

/// The next arithmetics, one after the other, until nothing is open: the first entries by a sweep
/// and a step of their own, the others by what these choose together. What 50 digits leave open is
/// inconclusive, and counted by its reason.
void escalate(LossCache& losses, std::size_t tensor, const UnresolvedEntries& open, const Aim& aim,
              EntryTally& tally);

/// The reason of what is not finite to begin with.
inline constexpr const char* kRange =
    "not finite: the value at rest is NaN or Inf (an input is, or it overflows)";

/// The reason where differences grow down to the finest step, or agree at none.
inline constexpr const char* kTooFine =
    "too fine: differences still grow at the finest step, the value changes over less";

/// Why nothing can be said of an entry: kink, domain, kRange, saturation or cancellation.
std::string reason_of(const Entry& entry, const ErrorScales& scales, const Aim& aim);

}  // namespace gradproof
