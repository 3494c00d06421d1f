// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "core/audit.h"
#include "core/parallel.h"
#include "oracles/audit/unit_derivatives.h"

namespace gradproof {

/// Elements of x that a tensor's Jacobian-vector products are taken over, roughly; the units beyond
/// are left out. A unit is never cut.
inline constexpr std::int64_t kDualElements = 1 << 10;
/// A unit larger than this is not taken at all.
inline constexpr std::int64_t kDualUnit = 1 << 18;
/// How many directions where that many products fit in; at least one.
inline constexpr std::int64_t kDualDirections = 3;
/// 50 digits, less 6 for a chain of a million roundings, less 14 for numbers that cancel inside the
/// pipeline (a variance far from zero), which the terms added up here do not show.
inline constexpr double kDualDigits = 30;

/// One unit's two ways.
struct DualMeeting {
  std::int64_t unit = 0;
  bool finite = false;
  bool zero = true;      ///< within the rounding, both ways
  bool resolved = true;  ///< the rounding leaves kDualDigits, or all is 0
  double error = 0;      ///< over the sum of the absolute terms
};

/// <J v, dy>, J v the derivative of the unit's value along v by dual numbers, against <v, J^T dy>
/// by the adjoint, v in this tensor alone.
/// The derivative alone is asked: a parameter that is only added to the value may have any size.
template <template <class> class Arithmetic>
DualMeeting dual_meeting(const Claim& claim, const Tensors& inputs, const Script& script,
                         const Differentiated& tensor, std::int64_t unit, std::int64_t directions) {
  const Geometry geometry(claim);
  ReadUnit<Arithmetic, Real> plain(script, claim, inputs, unit);
  plain.text().forward();
  plain.text().backward();
  const Values<Real> gradient = plain.gradient(tensor);
  ReadUnit<Arithmetic, Coarse> coarse(script, claim, inputs, unit);
  coarse.text().forward();
  coarse.text().backward();
  const Values<Coarse> coarse_gradient = coarse.gradient(tensor);
  const Real permitted = pow(Real(10), -Real(kDualDigits));
  ReadUnit<Arithmetic, Dual<Real>> dual(script, claim, inputs, unit);
  Values<Dual<Real>>& moved = dual.numbers_of(tensor.movable);
  ReadUnit<Arithmetic, Dual<Coarse>> coarse_dual(script, claim, inputs, unit);
  Values<Dual<Coarse>>& coarse_moved = coarse_dual.numbers_of(tensor.movable);
  DualMeeting meeting{unit, true, true, true, 0};
  for (std::int64_t k = 0; k < directions; ++k) {
    const Values<Real> v =
        random_direction(tensor, geometry, unit, static_cast<std::uint64_t>(k + 1));
    Summed adjoint;
    Summed forward;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      moved[i].d = v[i];
      coarse_moved[i].d = Coarse(v[i]);
    }
    for (std::size_t i = 0; i < gradient.size(); ++i) adjoint.add(v[i] * gradient[i]);
    const Values<Dual<Real>>& y = dual.text().forward();
    const Values<Dual<Coarse>>& coarse_y = coarse_dual.text().forward();
    Real least = apart(gradient, coarse_gradient, v);
    for (std::size_t i = 0; i < y.size(); ++i) {
      forward.add(y[i].d * plain.unit().dy[i]);
      least += abs((y[i].d - Real(coarse_y[i].d)) * plain.unit().dy[i]);
    }
    least = rounding(least);
    meeting.finite = meeting.finite && adjoint.finite() && forward.finite();
    const Real size = std::max(adjoint.magnitude, forward.magnitude);
    if (!meeting.finite || size <= least) continue;
    meeting.zero = false;
    meeting.resolved = meeting.resolved && least <= size * permitted;
    const Real off = abs(adjoint.sum - forward.sum) / size;
    meeting.error = std::max(meeting.error, off.template convert_to<double>());
  }
  return meeting;
}

/// As many units as kDualElements allows, spread evenly.
template <template <class> class Arithmetic>
std::vector<DualMeeting> dual_meetings(const Claim& claim, const Tensors& inputs,
                                       const Differentiated& tensor) {
  const Script script(claim);
  const Geometry geometry(claim);
  if (geometry.unit_size() < 1 || geometry.unit_size() > kDualUnit) return {};
  const std::int64_t fitting = kDualElements / geometry.unit_size();
  const std::int64_t taken = std::min(geometry.units(), std::max<std::int64_t>(1, fitting));
  const std::int64_t directions =
      std::clamp<std::int64_t>(fitting / std::max<std::int64_t>(1, taken), 1, kDualDirections);
  const std::vector<std::int64_t> units =
      spread_over(geometry.units(), taken, Stream(0, tensor.name));
  std::vector<DualMeeting> meetings(units.size());
  for_each_index(static_cast<std::int64_t>(units.size()), [&](std::int64_t k) {
    const auto at = static_cast<std::size_t>(k);
    meetings[at] = dual_meeting<Arithmetic>(claim, inputs, script, tensor, units[at], directions);
  });
  return meetings;
}

/// What the meetings say.
AuditWitness dual_witness(const Claim& claim, const std::vector<DualMeeting>& meetings);

}  // namespace gradproof
