// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

void eval_keeps_buffers_holds(Trial& t) {
  const LawRun run = t.run(t.c().with("mode", "eval"), t.inputs());
  for (const TensorSpec& spec : run.claim().tensors)
    if (spec.role == Role::buffer)
      t.expect_bits(spec.name + " after evaluation", run.left(spec.name), run.given(spec.name));
}

}  // namespace

Law eval_keeps_buffers() {
  return {"eval_keeps_buffers", "evaluation leaves the running statistics as they are, bit for bit",
          silences::no_buffers, eval_keeps_buffers_holds};
}

}  // namespace gradproof
