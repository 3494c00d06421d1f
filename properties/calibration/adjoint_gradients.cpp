// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/adjoint_gradients.h"

#include "core/parallel.h"
#include "oracles/derivatives/read_unit.h"

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

}  // namespace gradproof
