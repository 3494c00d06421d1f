// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/calls/between.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"

namespace gradproof {
namespace {

double other(double number, std::int64_t) { return 1 - number; }

void holds(Trial& t) {
  const Tensors others = changed(t.inputs(), "x", other);
  const LawRun run = t.run_by([&](const Execution&) { return run_between(t, others); });
  t.expect_same_results("between another's calls", run, t.run());
}

}  // namespace

Law two_instances() {
  return {"two_instances",
          "two instances with memory and streams of their own, called in turns, give what one does",
          silences::nondeterministic, holds};
}

}  // namespace gradproof
