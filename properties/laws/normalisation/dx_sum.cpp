// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/normalisation/unit_sums.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// Adding a constant to what a norm takes changes nothing, so that d_x has no part along it.
void dx_sum_holds(Trial& t) {
  const UnitSums sums = sums_of_dx(t.run());
  t.expect_zero("sum of d_x over each unit", sums.sum, sums.size);
}

}  // namespace

Law dx_sum() {
  return {"dx_sum", "d_x sums to zero over what a norm normalises together",
          silences::any_of<silences::no_gradients, silences::lacks<"d_x">,
                           silences::no_own_statistics, silences::norm_not_first>,
          dx_sum_holds};
}

}  // namespace gradproof
