// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/cotangent/stays_normal.h"

#include <cmath>

#include "core/graph/stages.h"

namespace gradproof {

bool stays_normal(const LawRun& run) {
  const Claim& claim = run.claim();
  // A few steps without functions of a user's own kernel stay within the range of float32; they may
  // leave that of float16, whose smallest normal number is 2^-14.
  constexpr std::size_t kFewSteps = 8;
  if (claim.by_graph && (claim.graph.steps.size() > kFewSteps || run.c().is("dtype", "f16")))
    return false;
  for (const GraphStep& step : claim.chain()) {
    const GraphStage& stage = graph_stage(step.stage);
    if (stage.takes("exp") || (claim.by_graph && !stage.functions.empty())) return false;
  }
  for (const TensorSpec& spec : claim.tensors) {
    const Tensor& tensor = is_given(spec) ? run.given(spec.name) : run.left(spec.name);
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      if (const double size = std::abs(tensor.at(i));
          size != 0 && (size < 0x1p-10 || size > 0x1p10))
        return false;
  }
  return true;
}

}  // namespace gradproof
