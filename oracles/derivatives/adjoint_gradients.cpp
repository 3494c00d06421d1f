// SPDX-License-Identifier: Apache-2.0
#include "oracles/derivatives/adjoint_gradients.h"

#include <numeric>

#include "core/parallel.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/pipeline/gather.h"
#include "oracles/pipeline/geometry.h"
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof {
namespace {

using RealRunner = PipelineRunner<Plain<Real>>;

std::size_t at_index(std::int64_t i) { return static_cast<std::size_t>(i); }

Plain<Real> plain_of(const Geometry& geometry) {
  Plain<Real> plain;
  plain.take_count(geometry.unit_size());
  return plain;
}

}  // namespace

RealGradients adjoint_gradients(const Claim& claim, const Tensors& inputs) {
  const Geometry geometry(claim);
  const CompiledPipeline compiled(claim);
  const Plain<Real> plain = plain_of(geometry);
  RealGradients gradients;
  RealGradients sums;  // of parameters, one for each column
  for (const TensorSpec& spec : claim.tensors) {
    if (spec.role != Role::gradient) continue;
    gradients.emplace(spec.name, Values<Real>(at_index(numel(spec.layout.shape))));
    if (!claim.is_matrix(spec)) sums.emplace(spec.name, Values<Real>(at_index(claim.cols)));
  }
  for_each_index(claim.blocks(), [&](std::int64_t block) {
    for (std::int64_t row = 0; row < geometry.units_in_block(); ++row) {
      const std::int64_t unit = geometry.unit(block, row);
      const auto numbers = gather<Real>(claim, inputs, unit);
      RealRunner runner({compiled, plain, numbers});
      runner.forward();
      const Values<Real>& dx = runner.backward();
      for (auto& [name, sum] : sums) {
        const Values<Real>& terms = *runner.gradient(compiled.number(name.substr(2)));
        for (std::size_t i = 0; i < terms.size(); ++i)
          sum[at_index(geometry.first_column(unit)) + i] += terms[i];
      }
      for (auto& [name, gradient] : gradients) {
        if (sums.contains(name)) continue;
        for (std::size_t i = 0; i < dx.size(); ++i)
          gradient[at_index(geometry.first(unit)) + i * at_index(geometry.stride())] = dx[i];
      }
    }
  });
  for (auto& [name, sum] : sums) {
    Values<Real>& gradient = gradients.at(name);
    if (gradient.size() == sum.size())
      gradient = std::move(sum);
    else
      gradient = {std::accumulate(sum.begin(), sum.end(), Real(0))};
  }
  return gradients;
}

}  // namespace gradproof
