// SPDX-License-Identifier: Apache-2.0
#include "oracles/derivatives/directional.h"

#include "core/parallel.h"
#include "oracles/arithmetic/dual.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/oracle.h"
#include "oracles/pipeline/gather.h"
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof {
namespace {

using DualReal = Dual<Real>;

/// Sets the derivative parts of a unit's numbers to the direction.
void set_direction(Unit<DualReal>& unit, const CompiledPipeline& compiled,
                   const Tensors& directions, const Claim& claim, std::int64_t index) {
  const Geometry geometry(claim);
  for (const auto& [name, direction] : directions) {
    const bool input = claim.tensor(name).role == Role::input;
    const std::size_t slot = input ? 0 : compiled.number(name);
    Values<DualReal>& numbers = input ? unit.x : unit.numbers[slot];
    const bool shared = !input && compiled.numbers[slot].shared;
    const std::int64_t first = input ? geometry.first(index) : geometry.first_column(index);
    const std::int64_t stride = input ? geometry.stride() : 1;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i].d = Real(direction.at(shared ? 0 : first + static_cast<std::int64_t>(i) * stride));
  }
}

Real derivative(const CompiledPipeline& compiled, const Unit<DualReal>& unit) {
  Plain<DualReal> arithmetic;
  arithmetic.take_count(static_cast<std::int64_t>(unit.x.size()));
  PipelineRunner<Plain<DualReal>> runner({compiled, arithmetic, unit});
  const Values<DualReal>& y = runner.forward();
  Real total(0);
  for (std::size_t row = 0; row < y.size(); ++row) total += y[row].d * unit.dy[row].v;
  return total;
}

}  // namespace

Real real_directional_derivative(const Claim& claim, const Tensors& inputs,
                                 const Tensors& directions) {
  const CompiledPipeline compiled(claim);
  Values<Real> parts(static_cast<std::size_t>(Geometry(claim).units()));
  for_each_index(static_cast<std::int64_t>(parts.size()), [&](std::int64_t k) {
    auto unit = gather<DualReal>(claim, inputs, k);
    set_direction(unit, compiled, directions, claim, k);
    parts[static_cast<std::size_t>(k)] = derivative(compiled, unit);
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
