// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "oracles/differences/steps/sweep.h"

namespace gradproof {

/// Order and step of a difference; the step over the scale on which L changes.
struct StepChoice {
  int form = 1;  ///< tableau.h
  int log2_step = -17;
};

/// A sweep whose differences never agree better than this says nothing about steps.
inline constexpr double kHopeless = 1e-6;

/// By the differences alone: the lowest order that agrees with itself to the wanted digits, with
/// half a digit to spare, in all sweeps, at its best step; else what agrees best. Sweeps that agree
/// nowhere (a kink, no domain) are left out; nothing if all are.
std::optional<StepChoice> chosen(const std::vector<Sweep>& sweeps, const Aim& aim);

/// Whether the sweep agrees with itself there, to the wanted digits with half a digit to spare.
bool agrees(const Sweep& sweep, const StepChoice& choice, const Aim& aim);

/// For one entry by itself: what agrees best among the differences that move it by 2^coarsest of
/// the scale at most and see no kink.
std::optional<StepChoice> chosen(const Sweep& sweep, const Aim& aim, int coarsest);

/// What agrees best with itself, kink or not: there a kink shows.
StepChoice most_agreeing(const Sweep& sweep);

/// Moves the number further, up to 2^140 of the scale, as long as the sweep does not reach the
/// wanted digits of its claim and gains by it: a number may count so little (a weight of an input
/// of 1e-38) that the value changes with it over far more than the scale.
void widen(Sweep& sweep, PerturbedLoss& losses, std::size_t tensor, std::int64_t place,
           const Aim& aim);

/// Moves the number less, down to 2^-140 of the scale, as long as no step's differences tell
/// anything, or all finer ones grow: the value may change over far less than the scale.
void deepen(Sweep& sweep, PerturbedLoss& losses, std::size_t tensor, std::int64_t place,
            const Aim& aim);

/// The coarsest of the finer steps whose differences agree with each other, but not with D(h):
/// what that agrees with is no derivative. Nothing: there is none.
std::optional<int> denied(const Sweep& sweep, const StepChoice& choice);

/// Whether the differences leave D(h) in one direction as the step shrinks, by ever more, as no
/// rounding does: they have not seen the derivative yet.
bool grows(const Sweep& sweep, const StepChoice& choice);

/// Whether the slopes differ by what stays the same over three steps, far above the rounding of
/// each: what else looks like a kink is noise, or bent.
bool steady(const std::array<Entry, 3>& finer, const std::array<double, 3>& noise);
bool steady_kink(const Sweep& sweep, const StepChoice& seen);

}  // namespace gradproof
