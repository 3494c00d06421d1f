// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/normalisation/normalised_tensor.h"
#include "properties/laws/normalisation/unit_sums.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// Adding a constant to what a norm takes changes nothing, so that d_x has no part along it.
void dx_sum_holds(Trial& t) {
  const std::string tensor = t.claim().by_graph ? shifted_tensor(t.claim())->tensor : "x";
  const UnitSums sums = t.claim().by_graph ? sums_of_gradient(t.run()) : sums_of_dx(t.run());
  t.expect_zero("sum of d_" + tensor + " over each unit", sums.sum, sums.size);
}

std::string dx_sum_silence(const Claim& claim) {
  const std::string none =
      silences::first_of({silences::no_gradients(claim), silences::no_own_statistics(claim)});
  if (!none.empty()) return none;
  if (claim.by_graph) return silences::lacks(claim, "d_" + shifted_tensor(claim)->tensor);
  return silences::first_of({silences::lacks(claim, "d_x"), silences::norm_not_first(claim)});
}

}  // namespace

Law dx_sum() {
  return {"dx_sum", "d_x sums to zero over what a norm normalises together", dx_sum_silence,
          dx_sum_holds};
}

}  // namespace gradproof
