// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/running/steps.h"

#include "core/case/inputs.h"
#include "core/error.h"
#include "core/graph/stages.h"

namespace gradproof {

Tensors with_buffers_of(const LawRun& run, Tensors inputs) {
  for (const TensorSpec& spec : run.claim().tensors)
    if (spec.role == Role::buffer) inputs.at(spec.name) = run.left(spec.name);
  return inputs;
}

std::vector<LawRun> training_steps(Trial& t, const Case& c, const Tensors& first,
                                   std::int64_t count) {
  std::vector<LawRun> steps{t.run(c, first)};
  for (std::int64_t step = 1; step < count; ++step)
    steps.push_back(
        t.run(c, with_buffers_of(steps.back(), make_inputs(c, t.kernel().claim(c), step))));
  return steps;
}

double momentum_of(const LawRun& step) {
  if (step.claim().cumulative) return 1 / (step.given("num_batches_tracked").at(0) + 1);
  for (const GraphStep& moved : step.claim().graph.steps)
    if (graph_stage(moved.stage).moves_statistic()) return moved.number("momentum");
  throw InstrumentError("no running statistics move");
}

}  // namespace gradproof
