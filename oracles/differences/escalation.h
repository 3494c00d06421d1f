// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/steps/sampled_entries.h"
#include "oracles/differences/steps/step_choice.h"
#include "oracles/differences/tally.h"

namespace gradproof {

/// The entries of one unit that one arithmetic has not decided.
struct UnresolvedEntries {
  SampledEntries places;
  Real scale;  ///< ErrorScales::scale of the unit, as far as it is known
  AuditArithmetic arithmetic = AuditArithmetic::double_double;  ///< the arithmetic asked last
  bool confirming = false;  ///< that arithmetic judged the entries wrong; the next one confirms it
};

/// Judges the open entries again in the next arithmetics, one after the other, until none is open.
/// Each of the first entries gets its own sweep and step, the others share the step that these
/// sweeps choose together. Entries that 50 digits leave open are counted as inconclusive, by
/// reason.
void escalate(LossCache& losses, std::size_t tensor, const UnresolvedEntries& open, const Aim& aim,
              EntryTally& tally);

/// The reason where the value is not finite before anything is moved.
inline constexpr const char* kRange =
    "not finite: the value at rest is NaN or Inf (an input is, or it overflows)";

/// The reason where the differences grow down to the finest step, or agree at no step.
inline constexpr const char* kTooFine =
    "too fine: differences still grow at the finest step, the value changes over less";

/// Why an entry cannot be decided: "domain", kRange, "kink", "saturation" or "cancellation".
std::string reason_of(const Entry& entry, const ErrorScales& scales, const Aim& aim);

}  // namespace gradproof
