// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/doubled.h"
#include "oracles/arithmetic/real.h"
#include "oracles/arithmetic/tripled.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

inline const Real& real_of(const Real& v) { return v; }
inline Real real_of(const Digits400& v) { return Real(v); }
inline Real real_of(double v) { return Real(v); }
inline Real real_of(const DoubledOf<double>& v) { return Real(v.hi) + Real(v.lo); }
inline Real real_of(const TripledOf<double>& v) { return Real(v.hi) + (Real(v.mid) + Real(v.lo)); }

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
