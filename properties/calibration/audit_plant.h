// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/case/draw.h"
#include "core/compare/record.h"
#include "properties/calibration/calibration.h"

namespace gradproof {

/// The kinds of planted entries: a relative change from just above what is certified up to the
/// value itself, or another number in the entry's place.
inline constexpr std::array kPlantedKinds{"1e-19 of the largest",
                                          "1e-12 of the largest",
                                          "1e-5 of the largest",
                                          "a factor of 2",
                                          "zero",
                                          "another sign",
                                          "a neighbour's value",
                                          "beside a gradient of 0"};

/// One wrong entry, and the audit's verdict on its row.
struct PlantedEntry {
  std::string kind;
  std::string where;  ///< "d_x[3,7]"
  Outcome verdict = Outcome::inconclusive;
};

/// Audits the Case's gradients with one entry of a certified row changed. The change is larger than
/// what is certified: more than 10^-20 of the largest gradient of the entry's unit, more than what
/// counts as 0 beside gradients of the unit (docs/audit.md), and more than the smallest double, for
/// less is 0 in every type that holds a gradient. It is multiplied by `times`, for the
/// calibration's own tests. Returns nothing if no row was certified, or if nothing drawn is as
/// large as that.
std::optional<PlantedEntry> plant_in_entries(const Kernel& kernel, const Case& c,
                                             const std::vector<Record>& rows, double times,
                                             const RandomBits& next);

}  // namespace gradproof
