// SPDX-License-Identifier: Apache-2.0
#include "kernels/harness/interleaved.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

void interleaved_calls_holds(Trial& t) {
  const LawRun run = t.run_by([&](const Execution& execution) {
    return run_interleaved(t.kernel(), t.c(), t.claim(), t.inputs(), execution);
  });
  t.expect_same_results("beside another instance", run, t.run());
}

}  // namespace

Law interleaved_calls() {
  return {"interleaved_calls",
          "forward, forward of other numbers, backward of the first: the same bits as alone, and "
          "no earlier result changes",
          silences::nondeterministic, interleaved_calls_holds};
}

}  // namespace gradproof
