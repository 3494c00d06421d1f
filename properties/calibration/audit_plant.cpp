// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/audit_plant.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/case/inputs.h"
#include "kernels/kernel.h"
#include "oracles/differences/pipeline_target.h"
#include "oracles/differences/unit_at_rest.h"
#include "properties/calibration/claimed_gradients.h"

namespace gradproof {
namespace {

/// The first is just above what is certified; the second is what counts as 0 in triple-doubles.
constexpr double kCertified = 2e-20;
constexpr double kNothing = 2e-33;

/// The entry's unit, or all units of its block, or all units of the target.
std::vector<std::int64_t> units_around(const PipelineTarget& target, std::size_t tensor,
                                       std::int64_t entry) {
  if (target.in_one_unit(tensor)) return {target.unit_of(tensor, entry)};
  const std::int64_t own = target.block_of(tensor, entry);
  const bool all = target.tensors()[tensor].reach == Reach::all;
  std::vector<std::int64_t> units;
  for (std::int64_t block = all ? 0 : own; block < (all ? target.blocks() : own + 1); ++block)
    for (const std::int64_t unit : target.units_of(block)) units.push_back(unit);
  return units;
}

/// The sizes that an entry is compared with.
struct Beside {
  Real largest{0};     ///< gradient of those that share the entry's units
  double typical = 0;  ///< what gradients there are like
};

Beside beside(const PipelineTarget& target, std::size_t tensor, std::int64_t entry,
              const Values<Real>& gradient) {
  Beside result;
  LossCache set(target, tensor);
  for (const std::int64_t unit : units_around(target, tensor, entry)) {
    PerturbedLoss& losses = set.at(AuditArithmetic::triple_double, unit);
    result.typical += std::ldexp(losses.typical_change(), -losses.log2_scale(tensor));
    for (std::int64_t place = 0; place < losses.count(tensor); ++place) {
      const auto at = static_cast<std::size_t>(losses.entry(tensor, place));
      result.largest = std::max(result.largest, Real(abs(gradient[at])));
    }
  }
  return result;
}

/// The value that is put in the place of the entry.
Real wrong_value(const std::string& kind, const Values<Real>& gradient, std::size_t at,
                 const Beside& beside, const RandomBits& next) {
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
  const PipelineTarget target(claim, inputs);
  RealGradients claimed = adjoint_gradients(claim, inputs);
  Values<Real>& gradient = claimed.at(row.tensor);
  std::size_t tensor = 0;
  while ("d_" + target.tensors()[tensor].name != row.tensor) ++tensor;
  constexpr int kTries = 20;
  for (int k = 0; k < kTries; ++k) {
    const std::string kind = kPlantedKinds[next() % kPlantedKinds.size()];
    const std::size_t at = next() % gradient.size();
    const auto entry = static_cast<std::int64_t>(at);
    const Beside measure = beside(target, tensor, entry, gradient);
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
