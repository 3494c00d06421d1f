// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "properties/laws/laws.h"
#include "properties/laws/running/steps.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// With momentum 1 a training step leaves the batch's mean and unbiased variance, and evaluation
/// normalises with them: its mean is the training step's, its rstd 1/sqrt(running_var + eps).
void train_then_eval_holds(Trial& t) {
  const LawRun train = t.run(t.c().with("momentum", "1"), t.inputs());
  const LawRun eval = t.run(t.c().with("mode", "eval"), with_buffers_of(train, t.inputs()));
  t.expect_near("mean of evaluation beside training's", eval.near("mean"),
                train.near("running_mean"));
  t.expect_near("running_mean beside training's mean", train.near("running_mean"),
                train.near("mean"));
  const auto eps = static_cast<long double>(norm_of(t.claim()).number("eps"));
  Estimate rstd = exactly(eval.given("running_var"));
  for (std::size_t i = 0; i < rstd.size(); ++i) {
    rstd.value[i] = 1 / std::sqrt(rstd.value[i] + eps);
    rstd.bound[i] = std::ldexp(rstd.value[i], -62);  // three roundings
  }
  t.expect_near("rstd of evaluation", eval.near("rstd"), rstd);
}

}  // namespace

Law train_then_eval() {
  return {"train_then_eval", "evaluation normalises with what a training step left",
          silences::no_moving_buffers, train_then_eval_holds};
}

}  // namespace gradproof
