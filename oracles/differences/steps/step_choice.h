// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "oracles/differences/steps/sweep.h"

namespace gradproof {

/// Chooses order and step without looking at the claim: the lowest order whose estimate, at its
/// best step, is at most 10^-(digits + 1/2) of the scale in all sweeps; else the smallest estimate.
/// Sweeps whose differences agree nowhere (kinks, domains) are left out; nothing where all are.
std::optional<StepChoice> chosen(const std::vector<Sweep>& sweeps, const Aim& aim);

/// For one entry: the smallest estimate among the differences with moves of at most 2^coarsest of
/// the scale and without a kink.
std::optional<StepChoice> chosen(const Sweep& sweep, const Aim& aim, int coarsest);

/// The smallest estimate of all, kinks included; there a kink shows.
StepChoice most_agreeing(const Sweep& sweep);

/// Adds coarser moves, up to 2^140 of the scale, as long as the sweep does not reach the wanted
/// digits of its claim and each extension improves it. L may change over far more than the scale: a
/// weight of an input of 1e-38 does so.
void widen(Sweep& sweep, const Aim& aim);

/// Adds finer moves, down to 2^-140 of the scale, as long as no step is informative or the
/// differences grow towards finer steps: L may change over far less than the scale.
void deepen(Sweep& sweep, const Aim& aim);

/// The coarsest finer step from which on several differences agree with each other but not with
/// D(h) of the choice, which is then no derivative. Nothing: there is none.
std::optional<int> denied(const Sweep& sweep, const StepChoice& choice);

/// Whether D moves away from D(h) in one direction, by ever larger steps, as h shrinks. Rounding
/// does not do so; h is still far above the width over which L changes.
bool grows(const Sweep& sweep, const StepChoice& choice);

/// Whether the jump of the slopes is the same to 2^-6 at three steps, and above 2^10 times the
/// noise at each. A jump that is not is rounding, or curvature, and no kink.
bool steady(const std::array<Entry, 3>& finer, const std::array<double, 3>& noise);
bool steady_kink(const Sweep& sweep, const StepChoice& seen);

}  // namespace gradproof
