// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/running/steps.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

constexpr std::int64_t kSteps = 3;

/// Compares with the kernel's own means of the batches; an error of a step's buffer is not
/// magnified by the steps that follow, so the bounds of all steps add up.
void cumulative_average_holds(Trial& t) {
  const Tensors first =
      changed(t.inputs(), "num_batches_tracked", [](double, std::int64_t) { return 0; });
  const std::vector<LawRun> steps =
      training_steps(t, t.c().with("momentum", "none"), first, kSteps);
  Estimate sum = steps.front().near("mean");
  for (std::size_t k = 1; k < steps.size(); ++k) sum = sum + steps[k].near("mean");
  Estimate got = steps.back().near("running_mean");
  for (std::size_t k = 0; k + 1 < steps.size(); ++k)
    for (std::size_t i = 0; i < got.size(); ++i)
      got.bound[i] += steps[k].near("running_mean").bound[i];
  t.expect_near("running_mean after three steps", got, (1.0L / kSteps) * sum);
}

}  // namespace

Law cumulative_average() {
  return {"cumulative_average",
          "without a momentum running_mean is the average of the batches' means",
          silences::no_moving_buffers, cumulative_average_holds};
}

}  // namespace gradproof
