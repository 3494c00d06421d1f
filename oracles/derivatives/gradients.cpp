// SPDX-License-Identifier: Apache-2.0
#include "oracles/derivatives/gradients.h"

#include <numeric>

#include "core/parallel.h"
#include "oracles/derivatives/read_unit.h"
#include "oracles/oracle.h"

namespace gradproof {

RealGradients adjoint_gradients(const Claim& claim, const Tensors& inputs) {
  const PipelineTarget target(claim, inputs);
  std::vector<std::vector<Values<Real>>> terms(static_cast<std::size_t>(target.geometry().units()));
  for_each_index(target.geometry().units(), [&](std::int64_t k) {
    ReadUnit<Plain, Real> unit(target, k);
    unit.value();
    terms[static_cast<std::size_t>(k)] = unit.adjoint();
  });
  RealGradients result;
  for (std::size_t t = 0; t < target.tensors().size(); ++t) {
    const AuditedTensor& tensor = target.tensors()[t];
    Values<Real>& gradient = result["d_" + tensor.name];
    gradient.assign(static_cast<std::size_t>(numel(tensor.shape)), Real(0));
    for (std::size_t k = 0; k < terms.size(); ++k)
      for (std::size_t i = 0; i < terms[k][t].size(); ++i)
        gradient[static_cast<std::size_t>(
            entry_at(target, t, static_cast<std::int64_t>(k), static_cast<std::int64_t>(i)))] +=
            terms[k][t][i];
  }
  return result;
}

Real real_directional_derivative(const Claim& claim, const Tensors& inputs,
                                 const Tensors& directions) {
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
  return std::accumulate(parts.begin(), parts.end(), Real(0));
}

HiLo directional_derivative(const Claim& claim, const Tensors& inputs, const Tensors& directions) {
  const Real total = real_directional_derivative(claim, inputs, directions);
  const double hi = total.convert_to<double>();
  return {hi, Real(total - Real(hi)).convert_to<double>()};
}

}  // namespace gradproof
