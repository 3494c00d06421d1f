// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/cotangent/stays_normal.h"

#include <cmath>

#include "core/graph/stages.h"

namespace gradproof {

bool stays_normal(const LawRun& run) {
  for (const GraphStep& step : run.claim().chain())
    if (graph_stage(step.stage).takes("exp")) return false;
  for (const TensorSpec& spec : run.claim().tensors) {
    const Tensor& tensor = is_given(spec) ? run.given(spec.name) : run.left(spec.name);
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      if (const double size = std::abs(tensor.at(i));
          size != 0 && (size < 0x1p-10 || size > 0x1p10))
        return false;
  }
  return true;
}

}  // namespace gradproof
