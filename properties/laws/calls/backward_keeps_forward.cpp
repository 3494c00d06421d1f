// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

void backward_keeps_forward_holds(Trial& t) {
  t.expect_same_results("without a backward", t.run_forward(), t.run());
}

}  // namespace

Law backward_keeps_forward() {
  return {"backward_keeps_forward",
          "a backward pass leaves results, saved statistics and buffers of forward as they are",
          silences::any_of<silences::no_gradients, silences::nondeterministic>,
          backward_keeps_forward_holds};
}

}  // namespace gradproof
