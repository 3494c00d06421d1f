// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "oracles/differences/arithmetic.h"
#include "oracles/differences/steps/tableau.h"

/// The constants by which steps are selected, each with its reason. Steps and moves are log2 of
/// their size over the scale of moves (PerturbedLoss::log2_scale).
namespace gradproof::step_rules {

/// The sample of a tensor: this many numbers, so many of a unit, that the worst of them is within
/// half a digit of the worst entry (kSpare) at a cost below that of all entries.
inline constexpr std::int64_t kSample = 32;
inline constexpr std::int64_t kPlacesOfUnit = 4;
/// Elements of a unit from which on Method::statistics is used for the sweeps of a few numbers. It
/// costs a dozen evaluations of the unit where direct moves cost hundreds; shorter units are swept
/// directly, for a Case of the push suite (65 elements) lost 1.2 digits by another step.
inline constexpr std::int64_t kLongUnit = 256;

/// The coarsest move of a sweep: half of the scale, over which L changes.
inline constexpr int kCoarsest = -1;
/// The step at which a sweep first estimates the scale, and that is taken where no sweep helps:
/// near the best of order 4, where truncation h^4 and rounding unit/h are equal to 2^(finest 4/5).
inline constexpr int middle_step(const Precision& precision) { return precision.finest / 3; }

/// The step of triple-doubles where double-doubles decided nothing: at 2^-22 of the scale the
/// truncation h^6 and the rounding 2^-156 / h of order 6 are nearly equal, 2^-132 and 2^-134.
inline constexpr StepChoice kSecondChoice{2, -22};
/// An estimate above this shows that kSecondChoice does not suit L; 400 digits decide.
inline constexpr double kSecondEstimate = 1e-30;
/// The step of differences in 400 digits: settle() in unit_audit.cpp.
inline const StepChoice kLastChoice{0, precision_of(AuditArithmetic::digits400).finest};

/// A sweep whose |D(h) - D(2h)| over the scale is nowhere below this is left out of step choices:
/// a kink or an edge of the domain, where no step is better than another.
inline constexpr double kHopeless = 1e-6;
/// Half a digit more than wanted, 10^-1/2: the worst of all entries is worse than that of the
/// sample.
inline constexpr double kSpare = 0.31622776601683794;
/// If the scale of a unit is at most this times the typical gradient, that gradient is the scale:
/// below it, double-doubles (31 digits, of which a difference loses nine) have no digit.
inline constexpr double kVanishing = 1e-22;

}  // namespace gradproof::step_rules
