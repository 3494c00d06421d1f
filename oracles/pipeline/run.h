// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof {

/// Reads a text forward and backward; with given statistics the backward pass starts from a forward
/// pass of its own, which uses them. `take_forward` is called while y and the side values stand.
/// `unit` is the one that the text reads.
template <class A, class TakeForward>
void run_pipeline(const CompiledPipeline& compiled, PipelineRunner<A>& text,
                  Unit<typename A::Scalar>& unit,
                  const std::optional<Statistics<typename A::Scalar>>& given,
                  const TakeForward& take_forward) {
  const bool separate = compiled.backward && given && compiled.has_norm();
  unit.given.reset();
  if (compiled.forward || !separate) {
    text.forward();
    take_forward();
  }
  if (separate) {
    unit.given = given;
    if (compiled.forward)
      text.remember_from_norm();
    else
      text.remember();
  }
  if (compiled.backward) text.backward();
}

}  // namespace gradproof
