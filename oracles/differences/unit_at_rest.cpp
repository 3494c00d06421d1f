// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/unit_at_rest.h"

#include "oracles/differences/entry.h"

namespace gradproof {

UnitAtRest::UnitAtRest(LossCache& cache, std::size_t tensor, AuditArithmetic arithmetic,
                       std::int64_t unit)
    : cache_(cache),
      tensor_(tensor),
      arithmetic_(arithmetic),
      unit_(unit),
      precision_(precision_of(arithmetic)),
      alone_(cache.target().tensors()[tensor].reach == Reach::itself),
      log2_scale_(losses().log2_scale(tensor)) {}

const Values<Real>& UnitAtRest::claimed() const {
  if (!claimed_) claimed_ = losses().claimed(tensor_);
  return *claimed_;
}

bool UnitAtRest::is_reproduced(std::int64_t place) const {
  PerturbedLoss& coarser = cache_.at(AuditArithmetic::double_double, unit_);
  const Real before = coarser.claimed(tensor_)[static_cast<std::size_t>(place)];
  return gradproof::is_reproduced(before, claimed(place));
}

double UnitAtRest::noise_of(int log2_step, std::int64_t place, double scale) const {
  if (!alone_) return noise(log2_step);
  const double own = losses().magnitude_of(place);
  if (std::isfinite(own)) return over_step(own, log2_step);
  const double all = over_step(losses().magnitude(), log2_step);
  return scale > 0 && !(all < scale) ? scale : all;
}

}  // namespace gradproof
