// SPDX-License-Identifier: Apache-2.0
#include "oracles/derivatives/dual_numbers.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace gradproof {
namespace {

constexpr double kMostDigits = 50;

std::string unit_noun(const Geometry& geometry, std::int64_t count) {
  return geometry.is_grouped() ? (count == 1 ? "row of a group" : "rows of groups")
                               : (count == 1 ? "column" : "columns");
}

}  // namespace

bool DualMeeting::agrees() const {
  return finite && resolved && !zero && error <= std::pow(10.0, -kDualDigits);
}

void DualMeeting::take(const Real& difference, const Real& bound, const Real& size) {
  finite = finite && isfinite(difference) && isfinite(size);
  if (!finite || (isfinite(bound) && size <= bound)) return;
  zero = false;
  // A NaN is no bound, and makes the comparison false.
  resolved = resolved && bound <= size * pow(Real(10), -Real(kDualDigits));
  error = std::max(error, Real(abs(difference) / size).convert_to<double>());
}

template std::vector<std::vector<DualMeeting>> dual_meetings<Plain>(const PipelineTarget&);

AuditWitness dual_witness(const PipelineTarget& target, const std::vector<DualMeeting>& meetings) {
  AuditWitness witness;
  witness.name = Witness::dual_numbers;
  witness.verdict = WitnessVerdict::silent;
  const Geometry& geometry = target.geometry();
  std::vector<DualMeeting> resolved;
  std::copy_if(meetings.begin(), meetings.end(), std::back_inserter(resolved),
               [](const DualMeeting& m) { return m.finite && m.resolved; });
  const auto lost = std::count_if(meetings.begin(), meetings.end(),
                                  [](const DualMeeting& m) { return m.finite && !m.resolved; });
  const auto infinite = static_cast<std::ptrdiff_t>(meetings.size() - resolved.size()) - lost;
  if (resolved.empty()) {
    const bool large = geometry.unit_size() > kDualUnit;
    witness.text = lost > 0 ? fmt::format(
                                  "the rounding of 50 digits leaves fewer than "
                                  "{:.0f} digits in {} {}",
                                  kDualDigits, lost, unit_noun(geometry, lost))
                   : !meetings.empty() ? "not finite"
                   : large             ? fmt::format("units of {} elements", geometry.unit_size())
                                       : "x has no elements";
    return witness;
  }
  std::stable_sort(resolved.begin(), resolved.end(),
                   [](const DualMeeting& a, const DualMeeting& b) { return a.error > b.error; });
  const double worst = resolved.front().error;
  witness.digits = worst > 0 ? std::min(kMostDigits, -std::log10(worst)) : kMostDigits;
  // A product does not say which of its unit's entries is wrong: units are counted, none is named.
  witness.wrong = std::count_if(resolved.begin(), resolved.end(), [](const DualMeeting& m) {
    return m.error > std::pow(10.0, -kDualDigits);
  });
  witness.verdict = witness.wrong > 0 ? WitnessVerdict::wrong : WitnessVerdict::agrees;
  const bool zero =
      std::all_of(resolved.begin(), resolved.end(), [](const DualMeeting& m) { return m.zero; });
  witness.text = fmt::format("<J v, dy> against <v, J^T dy> in {} of {} {}{}", resolved.size(),
                             geometry.units(), unit_noun(geometry, geometry.units()),
                             zero ? ": 0 everywhere, both ways" : "");
  if (witness.wrong > 0)
    witness.text += fmt::format("; wrong in {} {}, worst {}", witness.wrong,
                                unit_noun(geometry, witness.wrong), resolved.front().unit);
  if (lost > 0) witness.text += fmt::format("; {} more are lost in rounding", lost);
  if (infinite > 0) witness.text += fmt::format("; {} more are not finite", infinite);
  return witness;
}

}  // namespace gradproof
