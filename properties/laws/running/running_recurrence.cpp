// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/normalisation/moments.h"
#include "properties/laws/running/steps.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// r' = (1-m) r + m v, v of what the norm gets.
void running_recurrence_holds(Trial& t) {
  for (const LawRun& step : training_steps(t, t.c(), t.inputs(), 3)) {
    const ColumnMoments v = moments_of_columns(step);
    const auto momentum = static_cast<long double>(momentum_of(step));
    const auto moved = [&](const char* name, const Estimate& of_batch) {
      t.expect_near(name, step.near(name),
                    (1 - momentum) * exactly(step.given(name)) + momentum * of_batch);
    };
    moved("running_mean", v.mean);
    moved("running_var", v.variance);
    t.expect("num_batches_tracked",
             step.left("num_batches_tracked").at(0) == step.given("num_batches_tracked").at(0) + 1,
             "it does not count the step");
  }
}

}  // namespace

Law running_recurrence() {
  return {"running_recurrence",
          "running statistics follow r' = (1-m) r + m v over three training steps",
          silences::no_moving_buffers, running_recurrence_holds};
}

}  // namespace gradproof
