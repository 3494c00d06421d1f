// SPDX-License-Identifier: Apache-2.0
#include "core/parallel.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/bounds/bounding.h"
#include "oracles/oracle.h"
#include "oracles/pipeline/evaluate_unit.h"
#include "oracles/truth/stored_rounding.h"

namespace gradproof {
namespace {

Answer answer_from(const Values<Truth>& truths, std::string why) {
  Answer answer;
  for (const Truth& truth : truths) {
    answer.hi.push_back(truth.hi);
    answer.lo.push_back(truth.lo);
    answer.radius.push_back(truth.radius);
    answer.bound.push_back(truth.bound);
    answer.any_nonfinite.push_back(truth.any_nonfinite);
  }
  answer.why = std::move(why);
  return answer;
}

template <class F>
Answer unit_sums_in(const Claim& claim, const Tensors& inputs) {
  const Geometry geometry(claim);
  Plain<Real> plain;
  plain.take_count(geometry.unit_size());
  Bounding<F> bounding(claim);
  bounding.take_count(geometry.unit_size());
  const StoredRounding rounding(claim, claim.tensor("d_x"));
  Values<Truth> truths(static_cast<std::size_t>(geometry.units()));
  for_each_index(
      geometry.units(),
      [&](std::int64_t unit) {
        const auto truth = evaluate_unit(claim, plain, gather<Real>(claim, inputs, unit), {}, unit);
        const auto bound =
            evaluate_unit(claim, bounding, gather<ErrorScalar<F>>(claim, inputs, unit), {}, unit);
        const ErrorScalar<F> sum = bounding.exact_sum(bound.gradients.input);
        truths[static_cast<std::size_t>(unit)] = rounding.of(
            plain.sum_in_unit(truth.gradients.input), {sum.total(), sum.vacuous, sum.overflow});
      },
      [] { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); });
  return answer_from(truths, claim.contract.why() + ", summed exactly over each unit");
}

}  // namespace

Answer unit_sums_of_dx(const Claim& claim, const Tensors& inputs) {
  if (claim.contract.accumulation == DType::f64) return unit_sums_in<Binary64>(claim, inputs);
  return claim.contract.flush_to_zero ? unit_sums_in<Binary32Flushed>(claim, inputs)
                                      : unit_sums_in<Binary32>(claim, inputs);
}

}  // namespace gradproof
