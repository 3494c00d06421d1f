// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/audit_plant.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/case/inputs.h"
#include "kernels/kernel.h"
#include "properties/calibration/claimed_gradients.h"

namespace gradproof {
namespace {

/// The first is just above what is certified; the second is what counts as 0 in triple-doubles.
constexpr double kCertified = 2e-20;
constexpr double kNothing = 2e-33;

/// The value that is put in the place of the entry.
Real wrong_value(const std::string& kind, const std::vector<Real>& gradient, std::size_t at,
                 const BesideEntry& beside, const RandomBits& next) {
  const Real& right = gradient[at];
  const Real sign = next() % 2 == 0 ? 1 : -1;
  if (kind == kPlantedKinds[0]) return right + sign * beside.largest * 1e-19;
  if (kind == kPlantedKinds[1]) return right + sign * beside.largest * 1e-12;
  if (kind == kPlantedKinds[2]) return right + sign * beside.largest * 1e-5;
  if (kind == kPlantedKinds[3]) return right * 2;
  if (kind == kPlantedKinds[4]) return Real(0);
  if (kind == kPlantedKinds[5]) return -right;
  if (kind == kPlantedKinds[6]) return gradient[next() % gradient.size()];
  constexpr int kOctaves = 100;  // down to 1e-30
  const int down = static_cast<int>(next() % kOctaves);
  return right + sign * ldexp(Real(beside.typical), -down);
}

}  // namespace

std::optional<PlantedEntry> plant_in_entries(const Kernel& kernel, const Case& c,
                                             const std::vector<Record>& rows, double times,
                                             const RandomBits& next) {
  std::vector<const Record*> certified;
  for (const Record& row : rows)
    if (row.verdict.outcome == Outcome::certified) certified.push_back(&row);
  if (certified.empty()) return std::nullopt;
  const Record& row = *certified[next() % certified.size()];
  const Claim claim = kernel.claim(c);
  const Tensors inputs = make_inputs(c, claim);
  RealGradients claimed = adjoint_gradients(claim, inputs);
  std::vector<Real>& gradient = claimed.at(row.tensor);
  constexpr int kTries = 20;
  for (int k = 0; k < kTries; ++k) {
    const std::string kind = kPlantedKinds[next() % kPlantedKinds.size()];
    const std::size_t at = next() % gradient.size();
    const auto entry = static_cast<std::int64_t>(at);
    const BesideEntry measure = beside_entry(claim, inputs, row.tensor, entry, gradient);
    const Real change = wrong_value(kind, gradient, at, measure, next) - gradient[at];
    const bool beside_zero = measure.largest <= Real(measure.typical * kNothing);
    if (beside_zero != (kind == kPlantedKinds.back())) continue;
    if (!(abs(change) > measure.largest * kCertified && abs(change) > measure.typical * kNothing))
      continue;
    if (abs(change) <= std::numeric_limits<double>::denorm_min()) continue;
    gradient[at] += change * times;
    for (const AuditRow& said : audit_gradients(claim, inputs, claimed))
      if (said.tensor == row.tensor)
        return PlantedEntry{kind, row.tensor + index_text(row.shape, entry), said.verdict};
  }
  return std::nullopt;
}

}  // namespace gradproof
