// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "core/compare/audit_row.h"
#include "core/parallel.h"
#include "oracles/derivatives/dual_meetings.h"

namespace gradproof {

/// Elements of x in the units that are compared, roughly. A unit is compared whole or not at all.
inline constexpr std::int64_t kDualElements = 1 << 10;
/// At least this many units, where the claim has them: one of them may hold a NaN.
inline constexpr std::int64_t kDualUnits = 2;
/// Elements of the largest unit that is compared.
inline constexpr std::int64_t kDualUnit = 1 << 18;
/// Directions for each unit, fewer where kDualElements does not allow as many; at least one.
inline constexpr std::int64_t kDualDirections = 3;

/// The comparisons of a claim, by position in differentiated() and then by unit: as many units as
/// kDualElements allows, spread evenly.
template <template <class> class Arithmetic>
std::vector<std::vector<DualMeeting>> dual_meetings(const Claim& claim, const Tensors& inputs) {
  const CompiledPipeline compiled(claim);
  const Geometry geometry(claim);
  const std::vector<Differentiated> tensors = differentiated(claim, compiled);
  std::vector<std::vector<DualMeeting>> meetings(tensors.size());
  if (geometry.unit_size() < 1 || geometry.unit_size() > kDualUnit) return meetings;
  const std::int64_t fitting = kDualElements / geometry.unit_size();
  const std::int64_t taken = std::min(geometry.units(), std::max(kDualUnits, fitting));
  const std::int64_t directions =
      std::clamp<std::int64_t>(fitting / std::max<std::int64_t>(1, taken), 1, kDualDirections);
  const std::vector<std::int64_t> units =
      spread_over(geometry.units(), taken, Stream(0, "dual numbers"));
  for (std::vector<DualMeeting>& of_tensor : meetings) of_tensor.resize(units.size());
  for_each_index(static_cast<std::int64_t>(units.size()), [&](std::int64_t k) {
    const auto at = static_cast<std::size_t>(k);
    const std::vector<DualMeeting> unit =
        unit_meetings<Arithmetic>({claim, inputs, compiled, tensors, units[at], directions});
    for (std::size_t t = 0; t < unit.size(); ++t) meetings[t][at] = unit[t];
  });
  return meetings;
}

/// The witness "dual numbers" of one tensor, from its comparisons.
AuditWitness dual_witness(const Claim& claim, const std::vector<DualMeeting>& meetings);

}  // namespace gradproof
