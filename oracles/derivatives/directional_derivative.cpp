// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "core/parallel.h"
#include "oracles/derivatives/read_unit.h"
#include "oracles/oracle.h"

namespace gradproof {

HiLo directional_derivative(const Claim& claim, const Tensors& inputs, const Tensors& directions) {
  const PipelineTarget target(claim, inputs);
  Values<Real> parts(static_cast<std::size_t>(target.geometry().units()));
  for_each_index(target.geometry().units(), [&](std::int64_t k) {
    ReadUnit<Plain, Dual<Real>> unit(target, k);
    for (std::size_t t = 0; t < target.tensors().size(); ++t) {
      const auto direction = directions.find(target.tensors()[t].name);
      if (direction == directions.end()) continue;
      Values<double> v;
      for (std::int64_t i = 0; i < places(target, t); ++i)
        v.push_back(direction->second.at(entry_at(target, t, k, i)));
      unit.move_along(t, v);
    }
    const Values<Dual<Real>>& y = unit.value();
    Real& part = parts[static_cast<std::size_t>(k)];
    for (std::size_t i = 0; i < y.size(); ++i) part += y[i].d * unit.dy()[i].v;
  });
  const Real total = std::accumulate(parts.begin(), parts.end(), Real(0));
  const double hi = total.convert_to<double>();
  return {hi, Real(total - Real(hi)).convert_to<double>()};
}

}  // namespace gradproof
