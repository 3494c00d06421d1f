// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/cotangent/stays_normal.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"

namespace gradproof {
namespace {

double doubled(double number, std::int64_t) { return 2 * number; }

void cotangent_doubled_holds(Trial& t) {
  const LawRun run = t.run(
      changed_cotangents(t.claim(), t.inputs(), [](double number, DType) { return 2 * number; }));
  const bool exact = t.claim().contract.deterministic && stays_normal(t.run());
  for (const TensorSpec& spec : run.results()) {
    if (spec.role != Role::gradient) continue;
    const std::string quantity = spec.name + " of 2 dy";
    const Tensors want = changed({{spec.name, t.run().left(spec.name)}}, spec.name, doubled);
    if (exact) t.expect_bits(quantity, run.left(spec.name), want.at(spec.name));
    if (!exact) t.expect_near(quantity, run.near(spec.name), 2 * t.run().near(spec.name));
  }
}

}  // namespace

Law cotangent_doubled() {
  return {"cotangent_doubled",
          "2 dy gives twice the gradients, bit for bit where no number can be subnormal",
          silences::any_of<silences::no_gradients, silences::shared_elements>,
          cotangent_doubled_holds};
}

}  // namespace gradproof
