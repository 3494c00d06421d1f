// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/normalisation/moments.h"
#include "properties/laws/running/steps.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// r' = (1-m) r + m v, v of what the norm gets.
void holds(Trial& t) {
  for (const LawRun& step : training_steps(t, t.c(), t.inputs(), 3)) {
    const Shape cols{step.claim().cols};
    Estimate mean{cols, {}, {}}, variance{cols, {}, {}};
    for (std::int64_t col = 0; col < step.claim().cols; ++col) {
      const Moments m = moments_of(normalised_column(step.claim(), step.inputs(), col));
      mean.value.push_back(m.mean);
      mean.bound.push_back(m.mean_error);
      variance.value.push_back(m.unbiased);
      variance.bound.push_back(m.unbiased_error);
    }
    const auto momentum = static_cast<long double>(momentum_of(step));
    const auto moved = [&](const char* name, const Estimate& v) {
      t.expect_near(name, step.near(name),
                    (1 - momentum) * exactly(step.given(name)) + momentum * v);
    };
    moved("running_mean", mean);
    moved("running_var", variance);
    t.expect("num_batches_tracked",
             step.left("num_batches_tracked").at(0) == step.given("num_batches_tracked").at(0) + 1,
             "it does not count the step");
  }
}

}  // namespace

Law running_recurrence() {
  return {"running_recurrence",
          "running statistics follow r' = (1-m) r + m v over three training steps",
          silences::no_moving_buffers, holds};
}

}  // namespace gradproof
