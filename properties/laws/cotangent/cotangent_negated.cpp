// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// Rounding to nearest does not see the sign, so this is exact.
void cotangent_negated_holds(Trial& t) {
  const LawRun run = t.run(
      changed_cotangents(t.claim(), t.inputs(), [](double number, DType) { return -number; }));
  for (const TensorSpec& spec : run.results()) {
    if (spec.role != Role::gradient) continue;
    const std::string quantity = spec.name + " of -dy";
    if (!t.claim().contract.deterministic) {
      t.expect_near(quantity, run.near(spec.name), -1 * t.run().near(spec.name));
      continue;
    }
    const Tensors want = changed({{spec.name, t.run().left(spec.name)}}, spec.name, negated);
    t.expect_equal(quantity, run.left(spec.name), want.at(spec.name), t.run().near(spec.name));
  }
}

}  // namespace

Law cotangent_negated() {
  return {"cotangent_negated", "-dy gives the negated gradients, bit for bit",
          silences::any_of<silences::no_gradients, silences::shared_elements>,
          cotangent_negated_holds};
}

}  // namespace gradproof
