// SPDX-License-Identifier: Apache-2.0
#include "core/case/inputs.h"
#include "properties/laws/laws.h"
#include "properties/laws/running/steps.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// A kernel that keeps something from one call to the next gives something else here.
void eval_between_steps_holds(Trial& t) {
  const std::vector<LawRun> steps = training_steps(t, t.c(), t.inputs(), 2);
  const Tensors second = steps.back().inputs();
  const LawRun first = t.run(t.inputs());
  t.run(t.c().with("mode", "eval"), with_buffers_of(first, t.inputs()));
  t.expect_same_results("of a step behind an evaluation", t.run(second), steps.back());
}

}  // namespace

Law eval_between_steps() {
  return {"eval_between_steps", "an evaluation between two training steps changes neither",
          silences::any_of<silences::no_moving_buffers, silences::nondeterministic>,
          eval_between_steps_holds};
}

}  // namespace gradproof
