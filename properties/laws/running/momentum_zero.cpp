// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// (1 - 0) r + 0 v is r in any arithmetic; where the batch's statistics may leave their range, 0 v
/// may be NaN.
void momentum_zero_holds(Trial& t) {
  const LawRun run = t.run(t.c().with("momentum", "0"), t.inputs());
  for (const char* name : {"running_mean", "running_var"})
    t.expect_equal(std::string(name) + " with momentum 0", run.left(name), run.given(name),
                   run.near(name));
}

}  // namespace

Law momentum_zero() {
  return {"momentum_zero", "with a momentum of 0 the running statistics stay as they are",
          silences::no_moving_buffers, momentum_zero_holds};
}

}  // namespace gradproof
