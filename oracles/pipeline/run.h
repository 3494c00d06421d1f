// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof {

/// Runs a pipeline forward and backward. With given statistics the backward pass starts from a
/// second forward pass, which uses them. `take_forward` is called when y and the side values are
/// computed. `unit` must be the one in the runner's setting.
template <class A, class TakeForward>
void run_pipeline(const CompiledPipeline& compiled, PipelineRunner<A>& runner,
                  Unit<typename A::Scalar>& unit,
                  const std::optional<Statistics<typename A::Scalar>>& given,
                  const TakeForward& take_forward) {
  const bool separate = compiled.backward && given && compiled.has_norm();
  unit.given.reset();
  if (compiled.forward || !separate) {
    runner.forward();
    take_forward();
  }
  if (separate) {
    unit.given = given;
    if (compiled.forward)
      runner.remember_from_norm();
    else
      runner.remember();
  }
  if (compiled.backward) runner.backward();
}

}  // namespace gradproof
