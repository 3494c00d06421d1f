// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

double zero(double, std::int64_t) { return 0; }

void cotangent_zero_holds(Trial& t) {
  const LawRun run =
      t.run(changed_cotangents(t.claim(), t.inputs(), [](double, DType) { return 0; }));
  for (const TensorSpec& spec : run.results()) {
    if (spec.role != Role::gradient) continue;
    const Tensors want = changed({{spec.name, run.left(spec.name)}}, spec.name, zero);
    t.expect_equal(spec.name + " of dy = 0", run.left(spec.name), want.at(spec.name),
                   run.near(spec.name));
  }
}

}  // namespace

Law cotangent_zero() {
  return {"cotangent_zero", "dy = 0 gives gradients that are exactly 0", silences::no_gradients,
          cotangent_zero_holds};
}

}  // namespace gradproof
