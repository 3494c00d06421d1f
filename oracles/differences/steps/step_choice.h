// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "oracles/differences/steps/sweep.h"

namespace gradproof {

/// Chooses order and step without looking at the claim: the lowest order whose estimate, at its
/// best step, is at most 10^-(digits + 1/2) of the scale in all sweeps; else the smallest estimate.
/// Sweeps whose differences agree nowhere (kinks, domains) are left out; nothing where all are.
std::optional<StepChoice> chosen(const std::vector<Sweep>& sweeps, const Aim& aim);

/// The worst |D(h) - D(2h)| of the sweeps at the choice, over the scale, without those above
/// step_rules::kHopeless.
double worst_self_error(const std::vector<Sweep>& sweeps, const StepChoice& choice);

}  // namespace gradproof
