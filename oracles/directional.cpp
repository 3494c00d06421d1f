// SPDX-License-Identifier: Apache-2.0
#include "oracles/directional.h"

#include "oracles/arithmetic/dual.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/gather.h"
#include "oracles/oracle.h"
#include "oracles/parallel.h"
#include "oracles/text.h"

namespace gradproof {
namespace {

using DualReal = Dual<Real>;

/// Gives a unit's numbers the derivatives that the direction says.
Unit<DualReal> along(Unit<DualReal> unit, const Tensors& directions, const Claim& claim,
                     std::int64_t column) {
  for (const auto& [name, direction] : directions) {
    if (claim.tensor(name).role == Role::input) {
      for (std::size_t row = 0; row < unit.x.size(); ++row)
        unit.x[row].d = Real(direction.at(static_cast<std::int64_t>(row) * claim.cols + column));
    } else {
      unit.numbers.at(name).d = Real(direction.at(direction.numel() == 1 ? 0 : column));
    }
  }
  return unit;
}

Real derivative(const Claim& claim, const Unit<DualReal>& unit) {
  const Plain<DualReal> arithmetic;
  Text<Plain<DualReal>> text({claim, arithmetic, unit});
  const Values<DualReal> y = text.forward();
  Real total(0);
  for (std::size_t row = 0; row < y.size(); ++row) total += y[row].d * unit.dy[row].v;
  return total;
}

}  // namespace

Real real_directional_derivative(const Claim& claim, const Tensors& inputs,
                                 const Tensors& directions) {
  Values<Real> parts(static_cast<std::size_t>(claim.cols));
  for_each_index(claim.cols, [&](std::int64_t column) {
    const auto unit = along(gather<DualReal>(claim, inputs, column), directions, claim, column);
    parts[static_cast<std::size_t>(column)] = derivative(claim, unit);
  });
  Real total(0);
  for (const Real& part : parts) total += part;
  return total;
}

HiLo directional_derivative(const Claim& claim, const Tensors& inputs, const Tensors& directions) {
  const Real total = real_directional_derivative(claim, inputs, directions);
  const double hi = total.convert_to<double>();
  return {hi, Real(total - Real(hi)).convert_to<double>()};
}

}  // namespace gradproof
