// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "properties/laws/laws.h"
#include "properties/laws/normalisation/normalised_tensor.h"
#include "properties/laws/normalisation/shifted.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// The numbers are rounded to a grid first, so that the sum with the constant is exact.
void shift_holds(Trial& t) {
  const Shifted shifted = shifted_inputs(t.claim(), t.inputs());
  const LawRun base = t.run(shifted.before);
  const LawRun moved = t.run(shifted.after);
  for (const TensorSpec& spec : base.results())
    if (spec.role != Role::buffer && (t.claim().by_graph || spec.name != "mean"))
      t.expect_near(spec.name + " of " + shifted.tensor + " + c", moved.near(spec.name),
                    base.near(spec.name));
}

}  // namespace

Law shift() {
  return {"shift", "a constant that is added to all that a norm takes together changes nothing",
          [](const Claim& claim) {
            return silences::first_of(
                {silences::no_own_statistics(claim), silences::shared_elements(claim),
                 shifted_tensor(claim) ? "" : "nothing is added right before a norm"});
          },
          shift_holds};
}

}  // namespace gradproof
