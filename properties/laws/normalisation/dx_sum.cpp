// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "oracles/oracle.h"
#include "properties/laws/laws.h"
#include "properties/laws/normalisation/unit_sums.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// Adding a constant to what a norm takes changes nothing, so that d_x has no part along it. The
/// bound is that of the sum, in which errors that a unit's elements share cancel; beside it every
/// element is rounded once more where it is stored: |stored - computed| <= u/(1-u) |stored|.
void holds(Trial& t) {
  const Claim& claim = t.claim();
  const DType dtype = claim.tensor("d_x").dtype;
  const double u = dtype == claim.contract.accumulation ? 0 : unit_roundoff(dtype);
  const auto terms = static_cast<long double>(t.inputs().at("x").numel());
  Estimate got{shape_of_units(claim), {}, {}};
  std::vector<long double> sizes;
  const Answer bounds = unit_sums_of_dx(claim, t.inputs());
  const Estimate& d_x = t.run().near("d_x");
  for (const GradientSum& unit : unit_sums(claim, t.run().left("d_x"))) {
    const long double bound = static_cast<long double>(bounds.bound.at(got.size()));
    got.value.push_back(unit.sum);
    sizes.push_back(unit.size);
    got.bound.push_back(
        bound + unit.size * (static_cast<long double>(u / (1 - u)) + std::ldexp(terms, -64)) +
        terms * static_cast<long double>(underflow_unit(dtype)));
  }
  for (std::size_t i = 0; i < d_x.size(); ++i)  // a sum with what may leave its range says nothing
    if (std::isinf(d_x.bound[i]))
      got.bound[unit_of(claim, static_cast<std::int64_t>(i))] = d_x.bound[i];
  t.expect_zero("sum of d_x over each unit", got, sizes);
}

}  // namespace

Law dx_sum() {
  return {"dx_sum", "d_x sums to zero over what a norm normalises together",
          silences::any_of<silences::no_gradients, silences::lacks<"d_x">,
                           silences::no_own_statistics, silences::norm_not_first>,
          holds};
}

}  // namespace gradproof
