// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/escalation.h"

#include "oracles/differences/escalation_pass.h"

namespace gradproof {

std::string reason_of(const Entry& entry, const ErrorScales& scales, const Aim& aim) {
  if (!isfinite(entry.fine) || !isfinite(entry.coarse)) return "domain";
  if (!isfinite(entry.claimed)) return kRange;
  if (kinked(entry, scales, aim)) return "kink";
  return entry.unchanged ? "saturation" : "cancellation";
}

void escalate(LossCache& losses, std::size_t tensor, const UnresolvedEntries& open, const Aim& aim,
              EntryTally& tally) {
  tally.count_escalated(static_cast<std::int64_t>(open.places.places.size()));
  UnresolvedEntries left = open;
  while (!left.places.places.empty() && !is_last(left.arithmetic)) {
    left.arithmetic = next_after(left.arithmetic);
    EscalationPass pass(losses, tensor, left, left.arithmetic, aim, tally);
    left.places.places = pass.settle(left.places.places);
    left.scale = pass.scale();
  }
}

}  // namespace gradproof
