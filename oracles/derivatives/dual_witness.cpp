// SPDX-License-Identifier: Apache-2.0
#include "oracles/derivatives/dual_witness.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace gradproof {
namespace {

constexpr double kMostDigits = 50;

std::string unit_words(const Geometry& geometry, std::int64_t count) {
  return geometry.is_grouped() ? (count == 1 ? "row of a group" : "rows of groups")
                               : (count == 1 ? "column" : "columns");
}

}  // namespace

AuditWitness dual_witness(const Claim& claim, const std::vector<DualMeeting>& meetings) {
  AuditWitness witness;
  witness.name = "dual numbers";
  witness.verdict = "silent";
  const Geometry geometry(claim);
  std::vector<DualMeeting> told;
  std::copy_if(meetings.begin(), meetings.end(), std::back_inserter(told),
               [](const DualMeeting& m) { return m.finite && m.resolved; });
  const auto lost = std::count_if(meetings.begin(), meetings.end(),
                                  [](const DualMeeting& m) { return m.finite && !m.resolved; });
  const auto infinite = static_cast<std::ptrdiff_t>(meetings.size() - told.size()) - lost;
  if (told.empty()) {
    const bool large = geometry.unit_size() > kDualUnit;
    witness.text = lost > 0 ? fmt::format(
                                  "the rounding of 50 digits leaves fewer than "
                                  "{:.0f} digits in {} {}",
                                  kDualDigits, lost, unit_words(geometry, lost))
                   : !meetings.empty() ? "not finite"
                   : large             ? fmt::format("units of {} elements", geometry.unit_size())
                                       : "x has no elements";
    return witness;
  }
  std::stable_sort(told.begin(), told.end(),
                   [](const DualMeeting& a, const DualMeeting& b) { return a.error > b.error; });
  const double worst = told.front().error;
  witness.digits = worst > 0 ? std::min(kMostDigits, -std::log10(worst)) : kMostDigits;
  // A product does not say which of its unit's entries is wrong: units are counted, none is named.
  witness.wrong = std::count_if(told.begin(), told.end(), [](const DualMeeting& m) {
    return m.error > std::pow(10.0, -kDualDigits);
  });
  witness.verdict = witness.wrong > 0 ? "wrong" : "agrees";
  const bool zero =
      std::all_of(told.begin(), told.end(), [](const DualMeeting& m) { return m.zero; });
  witness.text =
      fmt::format("<J v, dy> against <v, J^T dy> in {} of {} {}{}", told.size(), geometry.units(),
                  unit_words(geometry, geometry.units()), zero ? ": 0 everywhere, both ways" : "");
  if (witness.wrong > 0)
    witness.text += fmt::format("; wrong in {} {}, worst {}", witness.wrong,
                                unit_words(geometry, witness.wrong), told.front().unit);
  if (lost > 0) witness.text += fmt::format("; {} more are lost in rounding", lost);
  if (infinite > 0) witness.text += fmt::format("; {} more are not finite", infinite);
  return witness;
}

}  // namespace gradproof
